"""Words that mean the same, that one covers the other, and that exclude one another. Everyday words only.

Each table is text, one group a line, so that a person can read and extend it.
"""

from __future__ import annotations

from collections.abc import Iterable

from .words import fold, stem

__all__ = ["EMPTY", "FUNCTION", "FUNCTION_STEMS", "NEGATIONS", "are_opposite", "canonical", "covers"]

_SAME = """
lady woman female
guy man gentleman male
kid child toddler
subscribe subscription membership
mix stir blend
eat consume devour
group bunch crowd
rifle shotgun firearm gun
shout scream yell
hit strike
gaze stare look
wash clean rinse
field meadow
path trail
sketch draw
rip tear
sprint run
pants trousers
sweater jumper pullover
spectacles glasses
hat cap
shirt t-shirt tshirt
kayak canoe
piano keyboard
sack bag
nap sleep
movie film cinema
assist help aid
purchase buy
choose pick select
hotel inn
error bug fault mistake
test exam
trip journey
job work occupation
salary wage pay
people person someone somebody anyone anybody one
big large huge
small little tiny
talk speak chat
cut slice chop dice
start begin
quit stop
own possess
buy purchase
car automobile
bike bicycle cycle
photo picture photograph image
job position
boss manager supervisor
mum mom mother
dad father
flat apartment
film movie
film-maker director
holiday vacation
phone telephone cellphone mobile
tv television
sofa couch
shop store
street road
wood forest
boat ship
stone rock
rabbit bunny
jacket coat
speak say
leap jump
run jog
walk stroll hike trek
ocean sea
onstage stage
dish plate
gun pistol
meal dinner
doctor physician
happy glad
sad unhappy
quick fast rapid
quiet silent
angry mad
wealthy rich
ill sick
yard lawn garden
pupil student
near beside nearby
email mail e-mail
commute travel
reply answer respond
name call
location place
town city
home house
cook prepare fry
throw toss
woodland forest
look watch
use utilise utilize
spicy hot
"""

_COVERS = """
person: man woman boy girl child lady kid player surfer biker skateboarder snowboarder climber dancer singer adult
person: musician cyclist goalkeeper rider cook chef mother father baby swimmer runner student worker guitarist
child: boy girl baby
pet: dog cat hamster rabbit parrot bird fish tortoise turtle guinea
meat: beef pork chicken steak bacon ham lamb
animal: dog cat monkey horse bird snake panda tiger lion rabbit cow fish hamster turtle kangaroo lemur
dog: puppy poodle bulldog labrador
cat: kitten
vehicle: car truck bus motorcycle bike van
instrument: guitar flute piano violin drum trumpet saxophone keyboard
food: meat vegetable fruit bread pasta potato egg tomato fish
vegetable: potato tomato onion carrot garlic pepper
water: ocean sea lake river pool
ball: football basketball baseball
"""

_OPPOSITE = """
open | close shut
turn-on switch-on | turn-off switch-off
put-on | take-off
get-on | get-off
get-in | get-out
pick-up | put-down
go-up | go-down
climb-up | climb-down
sign-in log-in | sign-out log-out
opt-in | opt-out
land | take-off
enabled on | disabled off
indoors inside indoor | outdoors outside outdoor
grant accept approve | deny refuse reject decline
empty | full crowded fill
hit catch | miss
add include | remove exclude delete
enter arrive come | leave exit depart
land | take-off
start begin | stop finish end quit
lift raise | lower drop
push | pull
buy | sell
win | lose
gain | lose
rise | fall sink
increase | decrease reduce
enable | disable
allow permit | forbid ban prohibit
laugh smile | cry weep frown
awake wake | asleep sleep
alive living | dead
wet | dry
hot warm | cold cool
hard difficult | easy
hard | soft
heavy | light
light bright | dark dim
big | small
long | short
tall | short
high | low
fast | slow
early | late
first | last
old | young new
oldest eldest | youngest
longest | shortest
largest biggest | smallest
rich | poor
happy | sad unhappy miserable
strong | weak
full | hungry
clean | dirty
loud noisy | quiet silent
thick | thin
wide | narrow
deep | shallow
up | down
on | off
above over | below under
front | back behind
before | after
always | never
everybody everyone | nobody
all | none
with | without
near | far
left | right
public | private
free | paid
alive live | die
rent lease | buy own
own keep | sell
subscribe | cancel
eat attend | skip
use | avoid
allow | ban
agree | disagree
believ | doubt
part-time | full-time
true | false
same | different
safe | dangerous
morning | evening night
day | night
summer | winter
weekday | weekend
single unmarried | married engaged
employed | unemployed
healthy | ill
dress | undress
plug | unplug
lock | unlock
pack | unpack
wrap | unwrap
cover | uncover
tie | untie
install | uninstall
subscribe | unsubscribe
trust | distrust
success succeed | failure fail
introvert introverted | extrovert extroverted
optimist optimistic | pessimist pessimistic
left-handed | right-handed
monolingual | bilingual
vegan vegetarian | carnivore
metric | imperial
formal | informal casual
verbose detailed lengthy | concise brief terse short
synchronous | asynchronous
odd | even
ancient | modern
maximum max | minimum min
tabs tab | spaces space
aisle | window
fluent | beginner
vertical | horizontal
together | alone
everyday daily | rarely seldom
often frequently regularly usually | rarely seldom hardly
likes | dislikes
warm | kalt
warm heiss | kalt
gross | klein
laut | leise
fruh | spat
immer | nie niemals
immer | selten
hell | dunkel
caliente | frio
grande | pequeno
siempre | nunca jamas
temprano | tarde
chaud | froid
grand | petit
toujours | jamais
tot | tard
calme tranquille | bruyant
tranquilo | ruidoso
ruhig | laut
"""

_FUNCTION = """
a an the this that these those there here it its i me my mine myself we us our ours you your yours he him his she her
hers they them their user be is are was were am been being have has had do does did will would shall should can could
may might must and or but so because as if than then of in on at to for from by with about into onto over under up down
out off near next through across around between during after before while when where which who whom whose what how
very really quite too also just still even only ever again now currently today already most much many lot lots some any
each every few several other another own such s t d m ll re ve please always usually often mostly generally typically
well more most all both either any actually pretty rather away back along anyway anymore longer these nowadays
recently lately since ago last month week year get go got
"""

_FUNCTION_ELSEWHERE = """
ich mich mir mein meine meinen meinem meiner wir uns unser du dein er sie es ihr ihm der die das den dem des ein eine
einen einem einer und oder aber weil wenn als dass ist sind bin war habe hat haben hatte werde wird zu zum zur im in am
an auf aus bei mit nach von vom vor fur uber unter auch noch schon sehr gern gerne immer meist jetzt heute wieder seit
yo me mi mis mio nosotros nos tu el ella lo la los las un una unos unas y o pero porque si que es son soy era he ha han
hay de del al en a con por para sobre sin tambien muy siempre ahora hoy ya desde mas le les se
je me mon ma mes moi nous notre tu il elle on le la les un une des du de et ou mais parce si que qui est sont suis etait
ai as a ont avons en au aux dans sur sous avec pour par chez tres aussi toujours maintenant encore depuis plus ce cette
c d j l m n s t qu
"""

NEGATIONS = frozenset(
    "not no never nobody none nothing neither nor without hardly barely nowhere dont doesnt "
    "nicht kein keine keinen keinem keiner keins nie niemals niemand nichts ohne "
    "nunca jamas nadie nada ningun ninguna tampoco sin "
    "ne pas jamais personne rien aucun aucune sans "
    "不 没 沒 别 未 非 無 无".split()
)
"""Words that turn a statement round. Spanish *no* is among the English ones."""

EMPTY = frozenset(
    stem(word)
    for word in "do does thing stuff kind sort way someone something keep give make want need let try like desire wish".split()
)


def _groups(text: str) -> Iterable[list[str]]:
    for line in text.strip().splitlines():
        yield [stem(fold(word)) for word in line.replace("-", "·").split()]


_CANONICAL: dict[str, str] = {}
for _group in _groups(_SAME):
    for _word in _group:
        _CANONICAL.setdefault(_word, _CANONICAL.get(_group[0], _group[0]))

FUNCTION = frozenset((_FUNCTION + _FUNCTION_ELSEWHERE).split())
"""Words that carry grammar rather than meaning, as they are written."""
FUNCTION_STEMS = frozenset(stem(word) for word in _FUNCTION.split())
"""The stems of the English ones; of the others no other form is known, and *los* is also the stem of *lose*."""


def canonical(stemmed: str) -> str:
    """The one word that stands for all that mean the same."""
    return _CANONICAL.get(stemmed, stemmed)


_BELOW: dict[str, set[str]] = {}
for _line in _COVERS.strip().splitlines():
    _head, _, _rest = _line.partition(":")
    _BELOW.setdefault(canonical(stem(_head)), set()).update(canonical(stem(word)) for word in _rest.split())

_OPPOSITES: set[frozenset[str]] = set()
for _line in _OPPOSITE.replace("-", "·").strip().splitlines():
    _one, _, _other = _line.partition("|")
    _OPPOSITES |= {
        frozenset((canonical(stem(fold(a))), canonical(stem(fold(b))))) for a in _one.split() for b in _other.split()
    }


def covers(general: str, special: str) -> bool:
    """Whether whatever is *special* is *general*: ``person`` covers ``surfer``. Both canonical."""
    below = _BELOW.get(general, ())
    return special in below or any(special in _BELOW.get(between, ()) for between in below)


def are_opposite(one: str, other: str) -> bool:
    """Whether two canonical words exclude one another."""
    return frozenset((one, other)) in _OPPOSITES
