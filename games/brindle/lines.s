; Texts, a line of the bar each. The first and last two columns may be out of the picture on a television.
first_line:             ; the game writes numbers over its zeros
    .byte "  000000  HI 000000  L 00 ", T_icon_goat, " 0   "
messages:
    .byte "  ", T_icon_clover, " 00     TIME 000             "
    .byte "          PRESS START           "
    .byte "             PAUSE              "
    .byte "             OUCH!              "
    .byte "     NO MORE KIDS TO CLIMB      "
    .byte "      THE BELL RINGS FAR        "
    .byte "   A KID OF THE MOUNTAIN GOATS  "
    .byte "           SALTINGS             "
    .byte "          ALDERWOOD             "
    .byte "        THE UNDERFELL           "
    .byte "           WINDSCAR             "
    .byte "          BELLCROWN             "

; The title, a bit for each stone.
letters:
    .byte %00111001, %11001010, %01011100, %10001110
    .byte %00100101, %00101011, %01010010, %10001000
    .byte %00100101, %00101011, %01010010, %10001000
    .byte %00111001, %11001010, %11010010, %10001100
    .byte %00100101, %10001010, %11010010, %10001000
    .byte %00100101, %01001010, %01010010, %10001000
    .byte %00111001, %00101010, %01011100, %11101110
