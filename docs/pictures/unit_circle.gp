# Section 8: phase on the unit circle. Given: data, svg.
width = 1080; height = 520
load 'style.gp'
set multiplot
set tmargin at screen 0.86
set bmargin at screen 0.02
set size ratio -1
set xrange [-1.55:1.55]
set yrange [-1.3:1.3]
set border 0
unset tics
unset grid
unset key
set xzeroaxis linetype 1 linewidth 1 linecolor rgb '#bbbbbb'
set yzeroaxis linetype 1 linewidth 1 linecolor rgb '#bbbbbb'
set parametric
set trange [0:2*pi]
arrow = 'vectors nohead linewidth 1.2'
set label '0 turns, 0' at 1.06,-0.09 left textcolor rgb grey
set label '1/4 turn, π/2' at 0.04,1.2 left textcolor rgb grey
set label '1/2 turn, π' at -1.06,-0.09 right textcolor rgb grey
set label '3/4 turn, 3π/2' at 0.04,-1.2 left textcolor rgb grey
array pace[2] = ['1 radian', '0.1 radians']
do for [k=0:1] {
  set lmargin at screen 0.01+0.5*k
  set rmargin at screen 0.49+0.5*k
  set title sprintf("{/:Bold Pair k = %d: %s per token}\nthe point (cos pω, sin pω) at p = 0 .. 6", k, pace[k+1])
  plot cos(t),sin(t) with lines linewidth 1.5 linecolor rgb '#aaaaaa', \
       data index 2 using 2:3 with points pointtype 6 pointsize 0.8 linecolor rgb grey, \
       data index k using (0):(0):2:3 with @arrow linecolor rgb colour[k+1], \
       data index k using 2:3 with points linetype k+1 pointtype 7 pointsize 1.1, \
       data index k using ($2*1.13):($3*1.13):(sprintf('%d', $1)) with labels textcolor rgb colour[k+1]
}
unset multiplot
