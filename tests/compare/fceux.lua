-- Plays a movie in FCEUX and writes the 2 KiB of RAM after every frame, in hotgraph's numbering.
-- Arguments come through the environment: MOVIE, FRAMES, OUT, and RESETS, the numbers of the movie's
-- lines (from 0) that reset the console. With CHECKPOINT, a number, what is written is RAM after each
-- write to that byte instead. With PICTURES, a file's name, that file gets the frames' pictures: 256 x
-- 240 times four bytes, the last three of them red, green and blue; all four are 255 where FCEUX hides
-- the picture.
--
-- The first frameadvance after movie.play() returns before any frame has run, and the next one runs
-- FCEUX's first frame, which reads the movie's first line and ends before hotgraph's frame 0. From
-- then on FCEUX's frame i+1 is hotgraph's frame i. After a reset, too, FCEUX's PPU is silent for two
-- frames; the first of them has no frame in hotgraph.
--
-- FCEUX ends a frame about a scanline before vertical blank, hotgraph where it begins. So what is
-- written for a frame is RAM as the next frame's NMI handler is entered, where there is one; else
-- RAM at FCEUX's end of the frame.
local frames = tonumber(os.getenv("FRAMES"))
local out = assert(io.open(os.getenv("OUT"), "wb"))
local pictures = os.getenv("PICTURES") and assert(io.open(os.getenv("PICTURES"), "wb"))
local gd_header = 11 -- bytes before the pixels of a picture, as FCEUX gives it
local handler = memory.readbyte(0xFFFA) + 256 * memory.readbyte(0xFFFB)
local checkpoint = tonumber(os.getenv("CHECKPOINT") or "")
local ram, entered
local resets = {}
for line in string.gmatch(os.getenv("RESETS") or "", "%d+") do
    resets[tonumber(line)] = true
end

local function ram_now()
    return memory.readbyterange(0, 2048)
end

if checkpoint then
    -- Whether this is called before or after the byte gets its value makes no difference here.
    memory.registerwrite(checkpoint, function(address, size, value)
        local now = ram_now()
        out:write(now:sub(1, checkpoint), string.char(value), now:sub(checkpoint + 2))
    end)
else
    memory.registerexec(handler, function()
        if ram and not entered then
            ram = ram_now()
            entered = true
        end
    end)
end

-- While a movie plays, FCEUX draws a sign over the lower right corner: that part is hidden.
local function picture_now()
    local pixels = gui.gdscreenshot():sub(gd_header + 1)
    local row, first, last, left = 256 * 4, 200, 223, 224 * 4
    local parts = {pixels:sub(1, first * row)}
    for y = first, last do
        parts[#parts + 1] = pixels:sub(y * row + 1, y * row + left) .. string.rep("\255", row - left)
    end
    parts[#parts + 1] = pixels:sub((last + 1) * row + 1)
    return table.concat(parts)
end

emu.speedmode("maximum")
movie.play(os.getenv("MOVIE"), true)
emu.frameadvance()
emu.frameadvance()
local written, frame, picture = 0, 0, nil
while written < frames do
    emu.frameadvance()
    if ram and not resets[frame] then
        if not checkpoint then
            out:write(ram)
        end
        if pictures then
            pictures:write(picture)
        end
        written = written + 1
    end
    picture = pictures and picture_now()
    frame = frame + 1
    ram = ram_now()
    entered = false
end
out:close()
if pictures then
    pictures:close()
end
os.exit(0)
