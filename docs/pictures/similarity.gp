# Section 10: similarity against offset. Given: data, svg.
width = 1000; height = 640
load 'style.gp'
set multiplot
set lmargin at screen 0.085
set rmargin at screen 0.78
set xrange [-64:64]
set xtics 16
set key at screen 0.80,0.90 left top vertical Left reverse title 'ω in radians per token' left
set tmargin at screen 0.91
set bmargin at screen 0.60
set title 'Single pairs: cos(ω_k Δ) comes back after every turn'
set ylabel "dot product of one pair"
set yrange [-1.15:1.15]
set ytics -1,1,1
set xtics format ''
plot data index 0 using 1:2 with lines linetype 1 title 'k = 0, ω = 1', \
     data index 0 using 1:3 with lines linetype 2 dashtype 2 title 'k = 8, ω = 0.1', \
     data index 0 using 1:4 with lines linetype 3 dashtype 4 title 'k = 16, ω = 0.01'

set key at screen 0.80,0.44 spacing 1.3 title 'the first code at' left
set tmargin at screen 0.50
set bmargin at screen 0.11
set title 'Their sum over all 32 pairs: one peak, at offset 0'
set ylabel 'dot product of the codes'
set xlabel 'offset Δ = n − m, tokens'
set yrange [0:34]
set ytics 8
set xtics format '%g'
plot data index 1 using 1:2 with lines linetype 4 title 'm = 1 000', \
     data index 1 using 1:3 every 2 with points pointtype 6 pointsize 0.6 linecolor rgb ink title 'm = 1 000 000 000'
unset multiplot
