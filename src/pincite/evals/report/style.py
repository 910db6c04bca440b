"""Style sheet of the report: phone, screen, dark mode, print."""

from typing import Final

STYLE: Final = """
:root{--ink:#1c2530;--soft:#5b6875;--line:#dfe4ea;--paper:#fff;--wash:#f5f7f9;
--c0:#1f6feb;--c1:#d9480f;--c2:#2b8a3e;--c3:#862e9c;--c4:#b08900;--c5:#0b7285}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#9aa7b4;--line:#313a44;
--paper:#14191f;--wash:#1c232b;--c0:#6ea8fe;--c1:#ff8f5a;--c2:#69db7c;--c3:#da77f2;--c4:#ffd43b;
--c5:#66d9e8}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem 1rem 4rem;max-width:66rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0}
h2{font-size:1.3rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:2px solid var(--line)}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
p,li{max-width:46rem}
a{color:var(--c0)}
small,.soft{color:var(--soft);font-size:.82rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;list-style:none}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.6rem,1fr));gap:.6rem;
margin:1rem 0}
.tiles div{background:var(--wash);border-radius:.5rem;padding:.6rem .8rem}
.tiles span,.tiles small{display:block;color:var(--soft);font-size:.8rem}
.tiles strong{font-size:1.35rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,23rem),1fr));gap:1rem}
figure{margin:0;padding:.8rem;border:1px solid var(--line);border-radius:.5rem;min-width:0}
figcaption{font-weight:600;font-size:.92rem;margin-bottom:.4rem}
svg{display:block;width:100%;height:auto;max-height:22rem}
.t{font-size:11px;fill:var(--soft)}
.g{stroke:var(--line)}
.k{stroke:var(--ink);stroke-dasharray:4 3}
.l{fill:none;stroke-width:2}
.m{fill:var(--paper);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:.15rem .9rem;list-style:none;padding:0;margin:.4rem 0 0;
font-size:.82rem}
.legend i{display:inline-block;width:.75rem;height:.75rem;border-radius:2px;margin-right:.35rem}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
.scroll table{min-width:100%}
th,td{text-align:right;padding:.25rem .55rem;border-bottom:1px solid var(--line);
white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{color:var(--soft);font-weight:600}
.s{text-align:left}
.long{white-space:normal;text-align:left;min-width:15rem;overflow-wrap:anywhere}
.bars{width:100%}
.bars th{font-weight:400;width:1%}
.bars td{border:0;text-align:left;width:1%}
.bars th{border:0}
.bars .bar{position:relative;width:60%;min-width:5rem;padding:0}
.bar b,.stack b{display:block;height:.95rem;border-radius:2px;min-width:1px}
.bar i{position:absolute;top:50%;height:0;border-top:2px solid var(--ink)}
.stack{display:flex;border-radius:3px;overflow:hidden}
.stack b{height:1.6rem;border-radius:0}
details{border-bottom:1px solid var(--line);padding:.35rem 0}
summary{cursor:pointer}
summary code{font-size:.85rem}
.worse{color:var(--c1)}.better{color:var(--c2)}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--wash:#f2f2f2}
body{max-width:none;padding:0;font-size:10.5pt}nav{display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
figure,details,tr,.tiles div{break-inside:avoid}h2,h3{break-after:avoid}
.scroll{overflow:visible}th,td{padding:.15rem .3rem;font-size:8pt}}
""" + "".join(
    f".f.c{n}{{fill:var(--c{n})}}.l.c{n},.m.c{n}{{stroke:var(--c{n})}}"
    f"i.c{n},b.c{n}{{background:var(--c{n})}}"
    for n in range(6)
)
