# What the sampler sees. csv: time at which an instruction or a stretch of them begins, and at which the next one does (in ms), what
# it is (1 waiting, 2 work, 3 sampled), address, instruction, 1 where an interrupt begins.
# waits, works, interrupts: 1 where there are any; labels: the first batch's instructions, and other texts.
eval frame; eval across; eval texts
set xrange [x_low:x_high]; set xtics x_step format '%g'
set yrange [bottom:top]; unset ytics
set arrow from screen px(left), py(18) to screen px(left), py(76) nohead front lw 1.5 lc rgb ink_text
end(from, to, pixels) = to - from < pixels * (x_high - x_low) / (right - left) ? from + pixels * (x_high - x_low) / (right - left) : to
plot for [i = 1:waits] csv every ::1 using ($3 == 1 ? $1 : NaN):(57):1:(end($1, $2, 0.2)):(57):(72) with boxxyerror lc rgb ink_cold, \
     for [i = 1:works] csv every ::1 using ($3 == 2 ? $1 : NaN):(42):1:(end($1, $2, 0.2)):(42):(72) with boxxyerror lc rgb ink_s0, \
     csv every ::1 using ($3 == 3 ? $1 : NaN):(34):1:(end($1, $2, 0.4)):(34):(80) with boxxyerror lc rgb ink_text, \
     for [i = 1:interrupts] csv every ::1 using ($6 == 1 ? $1 : NaN):(28):(0):(48) with vectors nohead lw 1.5 lc rgb ink_s1
