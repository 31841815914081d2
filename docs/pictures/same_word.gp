# Section 2: one word, three positions, three places. Given: data, svg.
width = 760; height = 470
load 'style.gp'
set title 'One word at three positions: the embedding plus an offset for the position'
set xlabel 'first coordinate'
set ylabel 'second coordinate'
set xrange [-0.4:2.5]
set yrange [-0.3:1.3]
set size ratio -1
set xtics 1 scale 0
set ytics 1 scale 0
set border 0
unset key
arrow = 'vectors head filled size 0.08,20 linewidth 2.5'
place(p, x, y) = sprintf('h_%d = [%g, %g]', p, x, y)
set label 'e_{word} = [1, 0]' at 0.5,-0.17 center textcolor rgb grey
# The arrow of the word is drawn a little below its place, since the third offset leads back over it.
plot data using (0):(-0.07):2:3 every ::0::0 with @arrow linecolor rgb grey, \
     for [p=0:2] data using 2:3:($4-$2):($5-$3) every ::p::p with @arrow linecolor rgb colour[p+1], \
     for [p=0:2] data using 4:5 every ::p::p with points pointtype 7 pointsize 0.9 linecolor rgb colour[p+1], \
     for [p=0:2] data using ($4+($1==2?-0.3:0.03)):($5+0.12):(place($1,$4,$5)) every ::p::p \
       with labels left textcolor rgb colour[p+1], \
     for [p=0:2] data using (0.5*($2+$4)+($1==1?0.05:-0.1)):(0.5*($3+$5)+($1==1?0:0.07)):(sprintf('+ p_%d', $1)) \
       every ::p::p with labels left textcolor rgb colour[p+1]
