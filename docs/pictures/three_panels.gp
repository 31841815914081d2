# Section 2: the three panels. Given: data, svg.
width = 1180; height = 430
load 'style.gp'
set multiplot
set tmargin at screen 0.80
set bmargin at screen 0.17
set label 100 'or' at screen 0.345,0.91 center font ',18' textcolor rgb grey
set label 101 'or' at screen 0.668,0.91 center font ',18' textcolor rgb grey

set lmargin at screen 0.055
set rmargin at screen 0.305
set title "{/:Bold 1  Linear index}\nadded: one number that grows"
set xlabel 'position p'
set ylabel 'value c p'
set xrange [-0.4:7.6]
set yrange [0:2]
set xtics 1
set ytics ('0' 0, 'c' 0.25, '2c' 0.5, '3c' 0.75, '4c' 1, '5c' 1.25, '6c' 1.5, '7c' 1.75)
unset key
plot data index 0 using 1:2 with impulses linetype 1 linewidth 6, \
     data index 0 using 1:2 with points linetype 1 pointtype 7 pointsize 0.9
unset label 100
unset label 101

set lmargin at screen 0.385
set rmargin at screen 0.635
set title "{/:Bold 2  Sinusoidal}\nadded: many phase clocks"
set ylabel 'coordinate of PE(p)'
set xrange [0:20.5]
set yrange [-1.15:1.15]
set xtics 0,4,16
set ytics -1,1,1
set label 'sin p' at 16.5,-0.29 left textcolor rgb blue
set label 'sin 0.1p' at 16.5,1.0 left textcolor rgb orange
set label 'sin 0.01p' at 16.5,0.16 left textcolor rgb green
plot data index 1 using 1:2 with lines linetype 1, \
     data index 1 using 1:4 with lines linetype 2, \
     data index 1 using 1:6 with lines linetype 3, \
     for [k=0:2] data index 2 using 1:2*k+2 with points linetype k+1 pointtype 7 pointsize 0.6
unset label

set lmargin at screen 0.70
set rmargin at screen 0.985
set title "{/:Bold 3  RoPE}\nturned: query and key pairs"
unset xlabel
unset ylabel
set border 0
unset grid
unset tics
set size ratio -1
set xrange [-2.7:2.9]
set yrange [-1.35:3.165]
set xzeroaxis linetype 1 linewidth 1 linecolor rgb '#bbbbbb'
set arrow from 0,-0.25 to 0,2.9 nohead linecolor rgb '#bbbbbb'
arrow = 'vectors head filled size 0.18,20 linewidth 2.5'
set label "a pair at p, turned by pω:\nω = π/6 radians per token" at 0,-0.55 center textcolor rgb ink
plot data index 4 using 2:3 with lines linewidth 1.5 dashtype 2 linecolor rgb grey, \
     data index 3 using (0):(0):2:3 with @arrow linecolor rgb orange, \
     data index 3 using ($2*1.22):($3*1.22):(sprintf('p = %d', $1)) with labels textcolor rgb orange
unset multiplot
