"""Function words by stemmer name: the analyser drops them and `guess_language` counts them.

Only the English list is long: with it BM25 gains where questions are verbose, and a question counts
as covered only by its content words. The others contain the most frequent words of their language,
enough to distinguish it from related languages. "us" is missing on purpose: it is more often a
country or a symbol than a pronoun.
"""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """
a about above after again against all also am an and any anybody anyone anything anywhere are arent
around as at
be because been before being below between both but by
can cannot cant could couldnt
did didnt do does doesnt doing done dont down during
each eg either else etc ever every everyone everything
few for from further
had hadnt has hasnt have havent having he her here hers herself him himself his how however
i ie if im in into is isnt it its itself ive
just
lets like
many may maybe me might mine more most much must mustnt my myself
neither no nobody none nor not nothing now
of off often on once one only onto or other others ought our ours ourselves out over own
perhaps please
quite
rather really
same shall she should shouldnt since so some somebody somehow someone something sometimes somewhere
still such
than that thats the their theirs them themselves then there therefore these they theyre this those
though through thus to together too toward towards
under until up upon
very via
was wasnt we well were werent what whatever whats when whenever where wherever whether which
whichever while who whoever whom whose why will with within without wont would wouldnt
yes yet you your youre yours yourself
"""

_OTHERS: Final = {
    "german": """aber als am an auch auf aus bei bis das dass dem den der des die dies diese
        dieser dieses doch durch ein eine einem einen einer eines er es für gegen hat hatte
        haben ich ihr ihre im in ist jede kann können man mit nach nicht noch nur ob oder
        ohne schon sein seine sich sie sind so über um und uns unter viel viele vom von vor
        war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer
        werden wie wir wird wo worden wurde wurden zu zum zur zwischen""",
    "french": """à au aux avec avoir car ce ces cet cette comme comment dans de des donc du
        elle elles en est et été être fait il ils je la le les leur leurs lui mais même nous
        on ont ou où par pas plus pour pourquoi qu que quel quelle quelles quels qui sa sans
        se ses si son sont sur tout tous très un une vous y était peut puis""",
    "spanish": """al algo ante aquel así aunque como cómo con cual cuál cuando cuándo de del
        desde donde dónde el él ella ellos en entre era es esa ese eso esta está están este
        esto fue ha han hasta hay la las le les lo los más mi muy no nos o para pero por
        porque qué que quién puede puedo se según ser si sí sin sobre son su sus también
        tiene un una unas unos y ya""",
    "italian": """a ad agli ai al alla alle allo anche che chi ci come con così cui da dal
        dalla dei del della delle dello di dove e è ed era gli ha hanno i il in io la le lo
        loro ma mi ne nel nella nelle non o perché più qual quale quali quando quanto quella
        quello questa questo se si sono sono su sua sul sulla suo posso può tra un una uno""",
    "portuguese": """a à ao aos as às até com como da das de do dos e é ela ele eles em
        entre era essa esse esta está este eu foi foram há isso isto já lhe mais mas mesmo
        muito na nas não nem no nos o onde os ou para pela pelas pelo pelos por porque qual
        quais quando quem que são se sem ser seu sua também tem um uma umas uns você pode
        posso podem""",
    "dutch": """aan als bij dan dat de deze die dit door een en er had heeft hebben het hij hoe hun
        ik in is je kan kunnen maar meer met mijn na naar niet nog of om omdat onder ook op over
        te tegen tot tussen uit van veel voor waar waarom was wat we welke werd werden wie wij
        wordt worden ze zich zij zijn zo zou""",
    "swedish": """alla än är att av blev då de den denna deras dess det detta dig din du efter
        eller en ett från för ha hade han har hon hur i inte jag kan man med men mellan mot när nu
        och om på sedan sig sin sina som så till under upp ur ut vad var varför vi vid vilka vilken
        vilket""",
    "danish": """af alle at blev bliver da de den denne der deres det dette dig din du efter eller
        en er et for fra ham han har havde hun hvad hvem hvilken hvor hvordan hvorfor hvornår ikke i
        jeg kan man med mellem men mod når nogle nu og også om op på sig sin skal som til ud under
        var ved vi vil være""",
    "norwegian": """alle av ble bli da de den denne der deres det dette du eller en er et etter for
        fra ham han har hadde hun hva hvem hvilken hvilke hvor hvordan hvorfor i ikke jeg kan man
        med mellom men mot når nå noen og også om opp på seg sin skal som til ut under var ved vi
        vil være""",
    "finnish": """että ei eivät en hän he ja jo jos joka jotka kanssa koska kuin kun kuka me mikä
        minä missä miten mitä mutta myös ne niin niiden ole oli olivat ollut on ovat se sen sekä
        sitä tai tämä tämän vain vaan voi ja""",
    "hungarian": """a az ahogy ami aki amely amikor át csak de e egy egyik el és ez ezt ezek azt
        hogy hogyan ha is itt ki kell le lesz meg mely melyik mert mi miért mikor milyen mint
        minden nagyon nem ő olyan pedig s szerint van vagy volt voltak után""",
    "romanian": """a acest această al ale am ar are au ca că care ce cel cea cei cine cu cum când
        dar de din după este ești era eu fi fost în între la le lor lui mai nu o pe pentru prin
        sa să sau se sunt și un une unei unui unde""",
    "russian": """а без более бы был была были было быть в вам вас ведь во вот все всё вы где да
        для до его ее её если есть еще ещё же за здесь и из или им их к как какая какие какой кем
        ко когда кто ли мне может мы на над не нет них но ну о об он она они оно от по под при про с
        со так также там то того тоже только том ты у уже чем что чтобы эта эти это этот я
        сколько почему""",
    "turkish": """ama ancak bazı ben bir biz bu bunu çok çünkü da daha de değil diye en gibi göre
        hangi hem her için ile ise kadar ki kim mı mi mu mü nasıl ne neden nerede o olan olarak
        oldu olduğu onun sonra şu tarafından ve veya ya""",
    "polish": """aby ale bez być był była było były bo by co czy dla do gdy gdzie go i ich ile jak
        jaki jakie jako jego jej jest już kiedy kto która które który lub ma może na nad nie niż o
        od oraz po pod przez przy są się tak także tego tej ten to tylko w we więc z za ze że""",
    "czech": """a aby ale ani bez být byl byla bylo byly co či do i jak jaký jako je jeho její
        jejich jen jsou již kde když kdo která které který mezi může na nad nebo není o od po pod
        podle pro proč protože při s se si so ta tak také tato tento to u v ve však z za ze že""",
    "catalan": """a al als amb aquest aquesta com d de del dels des el els en entre era és es està
        fou ha han i l la les li més no o on per perquè però pot què qual quan qui s se seu seva
        són també un una van va""",
    "indonesian": """ada adalah agar akan antara apa atau bagaimana bagi bahwa berapa bisa dalam
        dan dapat dari dengan di di ini itu juga karena ke kepada mana mengapa mereka oleh pada para
        saat saja sebagai secara sebuah seperti siapa telah tersebut tidak untuk yang""",
    "greek": """αλλά αν από αυτό για δεν εί είναι ένα ένας έχει ή η ήταν και κατά με μια να ο οι
        όπως όταν ότι που ποια ποιο ποιος πώς σε σας στα στη στην στις στο στον τα τη την της τι
        τις το τον του τους των ως""",
    "arabic": """أن أو إلى إن التي الذي الذين أين بعد بين ثم حتى ذلك على عن عند في قد كان كانت كل
        كم كما كيف لا لم لماذا ليس ما متى مع من منذ هذا هذه هل هو هي و""",
}

FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "english": frozenset(_ENGLISH.split()),
    **{language: frozenset(words.split()) for language, words in _OTHERS.items()},
}
