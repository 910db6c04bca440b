"""Requests of roff and macros of man(7), mdoc(7) and pod2man, by their purpose."""

from __future__ import annotations

from typing import Final, Literal

#: `tag` announces the `term` of an item in the next line, `item` has none. `paragraph` ends items
#: of man(7), and `break` only a paragraph. Lines between `indent` and `outdent` belong to the text
#: above; `list` and `end` enclose the items of mdoc(7).
Kind = Literal[
    "text", "code", "row", "term", "tag", "item", "break", "paragraph", "indent", "outdent", "list",
    "end", "close", "section", "subsection", "title", "hidden",
]  # fmt: skip

SECTIONS: Final[dict[str, Kind]] = {
    "SH": "section", "Sh": "section", "SS": "subsection", "Ss": "subsection",
}  # fmt: skip
ENCLOSING: Final[dict[str, Kind]] = {
    "RS": "indent", "RE": "outdent", "Bl": "list", "El": "end",
}  # fmt: skip
TABLES: Final[dict[str, Kind]] = {"TS": "break", "T": "break", "TE": "close"}  # T&
PARAGRAPHS: Final = frozenset(("PP", "P", "LP"))
BREAKS: Final = frozenset("PP P LP Pp Lp sp br bp ne Sp UE ME YS Bk".split())
CODE: Final[dict[str, bool]] = {
    "nf": True, "EX": True, "Vb": True, "Bd": True,
    "fi": False, "EE": False, "Ve": False, "Ed": False,
}  # fmt: skip
JOINED: Final = frozenset("BI BR IB IR RB RI OP".split())  # without blanks between arguments
HIDDEN: Final = frozenset(
    """ab ad af aln als am am1 ami as as1 asciify bd blm box boxa brp c2 cc ce cf cflags ch char
    chop class close color composite cp cs cu da de de1 dei di ds ds1 dt ec ecr ecs em eo ev evc
    ex fam fc fchar fcolor fl fp fschar fspacefallback ft ftr fzoom gcolor hc hcode hla hlm hpf hw
    hy hym hys ie ig in it itc kern lc length lf lg linetabs ll ls lsm lt mc mk mso na nh nm nn
    nr nroff ns nx open opena os output pc pev pi pl pm pn po ps psbb pso ptr pvs rchar rd return
    rfschar rj rm rn rnn rr rs rt schar shc shift sizes so special spreadwarn ss sty substring sv sy
    ta tc ti tkf tl tm tm1 tmc tr trf trin trnt troff uf ul unformat vpt vs warn warnscale wh while
    write PD DT IX UC AT HT Dd Os Bf Ef Ek Sm Rs Re Xo Xc Ex Rv TS TE EQ EN""".split()
)
#: Macros of mdoc(7) whose arguments may be macros.
_PARSED: Final = frozenset("Sh Ss Nd Dl D1 It Op Nm Cd Vt Fo Fn Xr".split())
MDOC: Final = frozenset(
    """Ac Ad An Ao Ap Aq Ar At Bc Bo Bq Brc Bro Brq Bsx Bx Cd Cm Dc Do Dq Dv Dx Ec Em En Eo Er Es
    Ev Fa Fc Fl Fn Fo Fr Ft Fx Ic In Li Lk Ms Mt Nm No Ns Nx Oc Oo Op Ot Ox Pa Pc Pf Po Pq Qc Ql Qo
    Qq Sc So Sq Sx Sy Ta Tn Ux Va Vt Xr""".split()
)
OF_MDOC: Final = MDOC | _PARSED | {"Bl", "El", "Bd", "Ed", "Pp", "Dt", "Dd", "Os", "Lb"}
