# Section 12: "cat" attends to "sat". Given: data, svg.
width = 1100; height = 590
load 'style.gp'
set multiplot
set tmargin at screen 0.99
set bmargin at screen 0.01
set size ratio -1
set xrange [-2.9:2.9]
set yrange [-2.6:3.7]
set border 0
unset tics
unset grid
unset key
set arrow from -2.6,0 to 2.6,0 nohead linecolor rgb '#bbbbbb'
set arrow from 0,-2.5 to 0,2.6 nohead linecolor rgb '#bbbbbb'
bold = 'vectors head filled size 0.17,20 linewidth 3'
thin = 'vectors head filled size 0.13,20 linewidth 1.3 dashtype 2'
tip = 'vectors head filled size 0.13,25 linewidth 1.3'
# The head of an arc is a short arrow along it, from the point that lies back by an angle.
back_x(x, y, angle) = x*cos(angle) + y*sin(angle)
back_y(x, y, angle) = y*cos(angle) - x*sin(angle)
heading(m, n, score) = \
  sprintf("{/:Bold “cat” at %d, “sat” at %d: score %.3f}\nquery turned by %d × 30°, key by %d × 30°", \
          m, n, score, m, n)
do for [i=0:1] {
  set lmargin at screen 0.5*i
  set rmargin at screen 0.48+0.5*i
  # From the dashed pairs as they were, along the arcs, to the bold ones as they are after turning.
  plot data index 3*i using (0):(3.25):(heading($1,$2,$12)) with labels center font ',16' textcolor rgb ink, \
       data index 3*i using (0):(0):3:4 with @thin linecolor rgb blue, \
       data index 3*i using (0):(0):7:8 with @thin linecolor rgb orange, \
       data index 3*i+1 using (0.4*$2):(0.4*$3) with lines linewidth 1.3 linecolor rgb blue, \
       data index 3*i+2 using (0.6*$2):(0.6*$3) with lines linewidth 1.3 linecolor rgb orange, \
       data index 3*i using (0.4*back_x($5,$6,0.2)):(0.4*back_y($5,$6,0.2)): \
         (0.4*($5-back_x($5,$6,0.2))):(0.4*($6-back_y($5,$6,0.2))) with @tip linecolor rgb blue, \
       data index 3*i using (0.6*back_x($9,$10,0.13)):(0.6*back_y($9,$10,0.13)): \
         (0.6*($9-back_x($9,$10,0.13))):(0.6*($10-back_y($9,$10,0.13))) with @tip linecolor rgb orange, \
       data index 3*i using (0):(0):5:6 with @bold linecolor rgb blue, \
       data index 3*i using (0):(0):9:10 with @bold linecolor rgb orange, \
       data index 3*i using (1.05*$3):(1.1*$4):('q_{cat} = (1, 2)') with labels left textcolor rgb blue, \
       data index 3*i using (1.05*$7):(1.1*$8):('k_{sat} = (2, 1)') with labels left textcolor rgb orange, \
       data index 3*i using ($5-0.35*$6/abs($6)):(1.12*$6):("q'_{cat}") with labels font ',15' textcolor rgb blue, \
       data index 3*i using ($9+0.35*$10/abs($10)):(1.12*$10):("k'_{sat}") with labels font ',15' textcolor rgb orange
}
unset multiplot
