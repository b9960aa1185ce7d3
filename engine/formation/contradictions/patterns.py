"""How people say what has one value: where they live, for whom they work, what they prefer. Six languages, as patterns.

Patterns match text as `words.plain` makes it: folded, without accents, contractions spelled out (*n't* is *not*, *j'* is
*je*). ``x`` is what it is now, ``y`` what it was before. Silence is better than a wrong match: what no pattern knows is
left to the signals.
"""

from __future__ import annotations

import re

from .words import CJK

__all__ = [
    "ENDED",
    "FEELINGS",
    "ONE_VALUE",
    "PAST",
    "PREFERENCES",
    "ROLES",
    "STATES",
    "STOPPED",
    "SWITCHES",
    "UNREAL",
    "USES",
]

_X = r"(?P<x>(?:[^.,;!?。，；！？、]|(?<=\d)\.(?=\d))+)"
_Y = r"(?P<y>[^.,;!?。，；！？、]+?)"
_C = rf"(?P<x>[{CJK}a-z0-9+#-]+?)"
_CY = rf"(?P<y>[{CJK}a-z0-9+#-]+?)"
_NOW = r"(?: now| currently| mostly| back| again| over| recently| just| here| together| house| jetzt| inzwischen| nun| derzeit| ahora| maintenant| desormais| actuellement| seit [a-z0-9]+(?: [a-z]+)?| desde [a-z0-9]+(?: [a-z]+)?| depuis [a-z0-9]+(?: [a-z]+)?)*"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


ONE_VALUE: dict[str, tuple[re.Pattern[str], ...]] = {
    "home": _compiled(
        rf"\b(?:live|lives|living|reside|resides|residing|based|settled(?: down)?){_NOW} (?:in|near) {_X}",
        rf"\b(?:move|moves|moved|moving|relocate|relocates|relocated|relocating){_NOW} (?:from {_Y} )?to {_X}",
        rf"\b(?:my )?(?:home|city|hometown|home city|home town) is{_NOW} (?:in )?{_X}",
        rf"\b(?:wohn|leb)(?:e|t|en){_NOW} in {_X}",
        rf"\bnach {_X} (?:um)?gezogen",
        rf"\bzieh(?:e|t|en)(?: bald)?{_NOW} nach {_X}",
        rf"\b(?:vivo|vive|vivimos|resido){_NOW} en {_X}",
        rf"\b(?:mude|mudado|mudada|mudamos|mudo|mudarme|traslade|trasladado){_NOW} a {_X}",
        rf"\b(?:habite|vis|vit|habitons|vivons|reside){_NOW} (?:a|au|en) {_X}",
        rf"\b(?:demenage|emmenage|installee?)(?: recemment)?{_NOW} (?:a|au|en) {_X}",
        rf"(?:住在|定居在|搬到|搬去|移居到|移居|搬家到)了?{_C}(?:了|生活)?(?=$|[ 。，,.])",
        rf"(?:^|[は、。, ]){_C}(?:に|へ)(?:住ん|住み|引っ越|引越|移住|転居)",
    ),
    "employer": _compiled(
        rf"\b(?:work|works|working|employed){_NOW}(?: as an? [^.,;]+?)? (?:for|at|by) {_X}",
        rf"\b(?:joined|joining){_NOW} {_X}",
        rf"\b(?:job|position|role) (?:at|with) {_X}",
        rf"\b(?:hired by|started (?:working )?(?:at|for)|starting at) {_X}",
        rf"\bemployer is{_NOW} {_X}",
        rf"\b(?:arbeit(?:e|et)|angestellt|angefangen){_NOW}(?: als [a-z]+)? (?:bei|fur) {_X}",
        rf"\b(?:zu|bei) {_X} (?:gewechselt|angefangen)",
        rf"\b(?:trabajo|trabaja|trabajar){_NOW}(?: de [a-z]+)? (?:en|para) {_X}",
        rf"\b(?:travaille|bosse|embauchee?|commence)(?: comme [a-z]+)?{_NOW} (?:chez|pour) {_X}",
        rf"在{_C}(?:工作|上班|任职)",
        rf"(?:加入了?|跳槽到了?|入职了?){_C}(?:了|公司)?(?=$|[ 。，,.])",
        rf"(?:^|[は、。, ]){_C}(?:で働|に勤め|に勤務|に入社|に転職|に就職)",
    ),
    "whereabouts": _compiled(
        r"\b(?:am|is|are|staying|stay) (?:currently |now |still )?in (?P<x>[^.,;!?]+?) (?:this (?:week|month|year)|today|now|right now|at the moment|for the weekend|until [a-z0-9 ]+)",
    ),
    "left-employer": _compiled(
        rf"\b(?:left|quit|quitting|leaving|resigned from|retired from|fired (?:from|by)|laid off (?:from|by)|finished at) (?:my job at )?{_X}",
        rf"\b(?:habe )?bei {_X} (?:gekundigt|aufgehort)",
        rf"\b(?:deje|he dejado|renuncie a) {_X}",
        rf"\bai (?:quitte|demissionne de) {_X}",
        rf"从{_C}(?:离职|辞职)",
        rf"(?:^|[は、。, ]){_C}を(?:辞め|退職)",
    ),
    "name": _compiled(
        rf"\b(?:my|full|real) name is{_NOW} {_X}",
        rf"\bich heisse{_NOW} {_X}",
        rf"\bmein name ist {_X}",
        rf"\bme llamo {_X}",
        rf"\bmi nombre es {_X}",
        rf"\bje me appelle {_X}",
        rf"\bmon nom est {_X}",
        rf"我(?:的名字)?(?:叫|是叫){_C}(?=$|[ 。，,.])",
        rf"名前は{_C}(?:です|だ)",
    ),
    "address-as": _compiled(
        rf"\b(?:call me|to be called|go by|goes by|address me as){_NOW} {_X}",
        rf"\bnenn(?:t|en sie)? mich{_NOW} {_X}",
        rf"\bllamame{_NOW} {_X}",
        rf"\bappelle(?:z)?[ -]moi {_X}",
        rf"叫我{_C}(?:吧|就好)?(?=$|[ 。，,.])",
        rf"{_C}と呼んで",
    ),
    "age": _compiled(
        r"\b(?P<x>\d+)(?: years old| year old| yrs old| jahre alt)\b",
        r"\b(?:i am|i just turned|turned|i have turned) (?P<x>\d\d)(?= now| today|$|[.,;!])",
        r"\btengo (?P<x>\d+) anos\b",
        r"\b(?:je )?ai (?P<x>\d+) ans\b",
        r"(?P<x>\d+) ?(?:岁|歳)",
    ),
}

_MARITAL: dict[str, re.Pattern[str]] = {
    "single": re.compile(
        r"\bsingle\b(?! (?:malt|room|origin|bed|page|file))|\bunmarried\b|\bledig\b|\bsolter[oa]\b|\bcelibataire\b|单身|独身|"
        r"\b(?:broke|broken|split) up\b"
    ),
    "in a relationship": re.compile(
        r"\bin a relationship\b|\b(?:am|is|are) dating\b|\bhave a (?:girl|boy)friend\b|\bseeing someone\b|\bvergeben\b|\bhabe (?:jetzt )?(?:eine freundin|einen freund)\b|\btengo (?:novi[oa])\b|\bai (?:un copain|une copine)\b|\ben couple\b|恋爱"
    ),
    "engaged": re.compile(
        r"\b(?:am|got|are|is) engaged\b(?! in)|\bverlobt\b|\bprometid[oa]\b|\bfiancee?s?\b|订婚|婚約"
    ),
    "married": re.compile(
        r"(?<!not )(?<!un)\b(?:got |am |is |are )?married\b|\bverheiratet\b|\bgeheiratet\b|\bcasad[oa]s?\b|\bme case\b|"
        r"\bmariee?s?\b|结婚|已婚|結婚"
    ),
    "divorced": re.compile(
        r"\bdivorced?\b|\bseparated from my\b|\bgeschieden\b|\bdivorciad[oa]\b|\bdivorcee?s?\b|离婚|離婚"
    ),
    "widowed": re.compile(r"\bwidow(?:ed|er)?\b|\bverwitwet\b|\bviud[oa]\b|\bveuve?\b|丧偶"),
}

STATES: dict[str, dict[str, re.Pattern[str]]] = {
    "marital status": _MARITAL,
    "work status": {
        "employed": re.compile(
            r"\b(?:am|is|are) (?:self )?employed\b|\bhave a (?:full time |steady |new )?job\b|\bberufstatig\b|\bfestangestellt\b"
        ),
        "unemployed": re.compile(
            r"\bunemployed\b|\bout of work\b|\bjobless\b|\blost my job\b|\bbetween jobs\b|\barbeitslos\b|\bdesemplead[oa]\b|\ben paro\b|\bau chomage\b|失业|無職"
        ),
        "retired": re.compile(
            r"\b(?:am|is|have|has|got|i) retired\b|\bpensioniert\b|\bin rente\b|\bjubilad[oa]\b|\bretraitee?\b|退休|退職"
        ),
    },
    "time of day": {
        "morning": re.compile(
            r"\bmorning person\b|\bearly (?:bird|riser)\b|\bfruhaufsteher(?:in)?\b|\bmadrugador[a]?\b|\bleve-tot\b|早起き|早鸟"
        ),
        "night": re.compile(
            r"\bnight (?:owl|person)\b|\bnachteule\b|\blate riser\b|\bnoctambulo\b|\bcouche-tard\b|夜猫子|夜型"
        ),
    },
    "household": {
        "alone": re.compile(
            r"\blives? (?:all )?(?:alone|by myself|on my own|by (?:him|her)self)\b|\b(?:wohne|lebe) (?:jetzt )?allein\b|\bvivo sol[oa]\b|\bvis seule?\b|一个人住|一人暮らし|独居"
        ),
        "with others": re.compile(
            r"\b(?:live|lives|living) with (?:my |his |her |their |two |three |four |a |\d )?(?:parents|roommates?|flatmates?|housemates?|partner|wife|husband|girlfriend|boyfriend|family|mother|brother|sister|friends?)\b"
            r"|\bwg\b|\bvivo con (?:mi|mis)\b|\bvis avec (?:ma|mon|mes)\b|合租|同居"
        ),
    },
}
"""States that exclude one another, by what they are states of."""

ROLES = _compiled(
    r"\b(?:work|works|working|worked) as (?:an? )?(?P<x>[^.,;!?]+)",
    r"\b(?:became|become|retrained as|trained as|qualified as|am|is) (?:now )?(?:not |no longer )?(?:an? )(?:[a-z]+ )?(?P<x>[a-z]+)\b",
    r"\b(?:arbeite|arbeitet) (?:jetzt )?als (?P<x>[a-z]+)",
    r"\bbin (?:jetzt )?(?P<x>[a-z]+(?:er|erin|arzt|arztin))\b",
    r"\b(?:trabajo|trabaja) (?:ahora )?(?:de|como) (?P<x>[a-z]+)",
    r"\bsoy (?:ahora )?(?:una? )?(?P<x>[a-z]+)\b",
    r"\bje suis (?:maintenant |devenue? )?(?P<x>[a-z]+)\b",
    r"\b(?:travaille) (?:maintenant )?comme (?P<x>[a-z]+)",
)

FEELINGS: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (rf"\b(?:like|likes|liked|love|loves|loved|enjoy|enjoys|adore|adores|fond of|big fan of|fan of|keen on|crave|craves|am into|is into|relish|passionate about|obsessed with|interested in|excited about) {_X}", 1),
        (rf"\b(?:hate|hates|hated|dislike|dislikes|detest|detests|loathe|loathes|despise|despises|avoid|avoids|can not (?:stand|bear|tolerate)|sick of|fed up with|never liked|disgusted by|repulsed by|fear of|phobia of|afraid of|scared of|terrified of|bored of|bored by|annoyed by|no interest in|not interested in) {_X}", -1),
        (r"(?P<x>[^.,;!?]+?) (?:is|are) (?:what|something|the thing|things?) i (?:\w+ )?(?:love|like|enjoy|adore)\b", 1),
        (r"(?P<x>[^.,;!?]+?) (?:is|are) (?:what|something|the thing|things?) i (?:\w+ )?(?:hate|dislike|detest|can not stand)\b", -1),
        (r"(?P<x>[^.,;!?]+?) (?:is|are|tastes?) (?:\w+ )?(?:delicious|wonderful|amazing|fantastic|awesome|yummy|tasty)\b", 1),
        (r"(?P<x>[^.,;!?]+?) (?:is|are|tastes?|makes me) (?:\w+ )?(?:disgusting|awful|horrible|gross|terrible|revolting|sick)\b", -1),
        (rf"\b(?:ich|er|sie|wir) (?:mag|mogen|liebe|liebt) {_X}", 1),
        (rf"\b(?:hasse|hasst|verabscheue) {_X}", -1),
        (r"\bich kann (?P<x>[^.,;!?]+?) nicht (?:leiden|ausstehen|ertragen)", -1),
        (r"\b(?:esse|trinke|hore|spiele|lese|schaue) (?P<x>[^.,;!?]+?) (?:sehr |total )?gerne?\b", 1),
        (r"\b(?:esse|trinke|hore|spiele|lese|schaue) (?:sehr |total )?gerne? (?P<x>[^.,;!?]+)", 1),
        (rf"\b(?:me|le|nos) (?:gustan?|encantan?|fascinan?) {_X}", 1),
        (rf"\b(?:adoro|amo|disfruto(?: de)?) {_X}", 1),
        (rf"\b(?:odio|odia|detesto|detesta|aborrezco|no soporto) {_X}", -1),
        (rf"\b(?:aime|adore|aimons|adorons|raffole de){_NOW} {_X}", 1),
        (rf"\b(?:deteste|hais|ai horreur d[eu]|supporte pas|supporte plus) {_X}", -1),
        (rf"(?:喜欢|喜爱|热爱|爱吃|爱喝|超爱|最爱|爱上了?)(?P<x>[{CJK}a-z0-9]+)", 1),
        (rf"(?:讨厌|厌恶|受不了|恨|嫌弃)(?P<x>[{CJK}a-z0-9]+)", -1),
        (rf"(?:^|[はも、。, ])(?P<x>[{CJK}a-z0-9]+?)(?:が|は|を|も)(?:とても|本当に|すごく)?(?:大好き|好き|愛して)", 1),
        (rf"(?:^|[はも、。, ])(?P<x>[{CJK}a-z0-9]+?)(?:が|は|を|も)(?:とても|本当に|すごく)?(?:大嫌い|嫌い|苦手)", -1),
    )
)  # fmt: skip
"""What follows (or goes before) a word of liking or disliking, and which of the two it is."""

PREFERENCES = _compiled(
    rf"\bprefer(?:s|red)?(?: to (?:use|drink|eat|have|take|write|travel by|pay by|be|be contacted by|be reached by|sit|work with|read|stay in)| (?:using|drinking|eating|reading|writing|working with|travelling by|wearing|taking|driving|watching|listening to|having)(?! (?:over|to|rather|instead|than)\b))? {_X}",
    rf"\bwould rather (?:have |use |take |drink |eat |be )?{_X}",
    rf"\b(?:want|wants|choose|chooses|pick|picks|go for|opt for|insist on|stick to|stick with) {_X}",
    rf"\b(?:bevorzuge|bevorzugt|lieber){_NOW} {_X}",
    rf"\bprefiero{_NOW} {_X}",
    rf"\bprefere{_NOW} {_X}",
    rf"(?:更喜欢|偏好|更爱|偏爱)(?:用|喝|吃|坐)?{_C}(?=$|[ 。，,.])",
    rf"(?:{_CY}より)?(?:も)?{_C}(?:の(?:ほう|方))が(?:好き|いい)",
)

SWITCHES = _compiled(
    rf"\b(?:switch|switched|switches|switching|upgraded|downgraded|chang(?:ed|es|ing)|migrat(?:ed|es|ing)|convert(?:ed)?|swap(?:ped)?|gone|went|going|turned|ported(?: everything)?){_NOW}(?: completely| entirely| everything| (?:the|my|our) [a-z]+)? (?:from {_Y} )?(?:over |back )?to {_X}",
    rf"\bmoved?{_NOW} (?:(?:away|all|everything|of|my|our|the) |(?:(?:my|our|the) [a-z]+) ){{0,4}}(?:from {_Y} )to {_X}",
    rf"\bmoved?{_NOW} (?:over |on |everything )?to (?P<x>[a-z0-9+#]+)",
    rf"\b(?:replac(?:ed|ing|es)|swapp(?:ed|ing)|traded(?: in)?|ditched|dropped|abandoned|left|gave up|exchanged|sold) {_Y} (?:with|by|for|in favou?r of|and (?:got|bought|started using|now use)) {_X}",
    rf"\b(?:gone|go|going|went) (?:for |with )?{_X} instead of {_Y}$",
    rf"\b(?:von {_Y} )?(?:auf|zu) {_X} (?:umgestiegen|gewechselt|umgestellt|gewechselt)",
    rf"\b(?:steige|wechsle|wechsele){_NOW} (?:auf|zu) {_X}",
    rf"\b(?:cambie|cambiado|pase|pasado|migre|migrado|cambiamos|pasamos){_NOW}(?: de {_Y})? a {_X}",
    rf"\b(?:suis passee?|ai change|ai migre|suis passe){_NOW}(?: d[eu]s? {_Y})? (?:a|au|pour|vers) {_X}",
    rf"(?:从{_CY})?(?:换成|改用|换到|转用|切换到|改喝|改成|换用|转向)了?{_C}(?:了)?(?=$|[ 。，,.])",
    rf"(?:{_CY}から)?{_C}(?:に|へ)(?:乗り換え|切り替え|変え|移行|替え|乗換え)",
)  # fmt: skip

USES = _compiled(
    r"\b(?:am|is|are) an? (?P<x>[a-z+#]+)(?: [a-z]+)? (?:user|driver|drinker|fan|supporter|developer|programmer)\b",
    rf"\b(?:use|uses|using|used|run|runs|running|drive|drives|driving|drink|drinks|drinking|ride|rides|take|takes|taking|wear|wears|read|reads|code in|codes in|write|writes|pay with|pays with|pay by|pays by|pay in|pays in|travel by|travels by|commute by|go by|goes by|write in|develop in|work with|works with|book|watch|play|plays|practise|practice|get|gets|support|supports|follow|follows|speak|speaks|speaking|fluent in|vote for|fly|flies|own|owns|speak to|listen to|write everything in|stay in|sit in|has|have){_NOW} {_X}",
    rf"\b(?:benutze|nutze|verwende|nehme|trinke|fahre|esse|programmiere in){_NOW} {_X}",
    rf"\b(?:uso|utilizo|bebo|tomo|como|conduzco|programo en){_NOW} {_X}",
    rf"\b(?:utilise|bois|mange|prends|conduis|code en){_NOW} {_X}",
    rf"(?:使用|用|喝|开|坐){_C}(?:了)?(?=$|[ 。，,.])",
    rf"(?:^|[は、。, ]){_C}を(?:使|飲|食べ|運転)",
)  # fmt: skip

STOPPED = _compiled(
    r"\b(?:stopped|quit|quitting|gave up|given up|done with|through with|sworn off|swore off|cancelled|canceled|got rid of|gotten rid of|sold|stepped down as|resigned as|retired as|dropped out of|dropped|deleted|uninstalled) (?P<x>[^.,;!?]+)",
    r"\b(?:no longer) (?P<x>[^.,;!?]+)",
    r"\b(?:do|does|am|is|are|can|have|has) not (?P<x>[^.,;!?]+?) any ?(?:more|longer)\b",
    r"\bmit (?:dem |der )?(?P<x>[^.,;!?]+?) aufgehort\b",
    r"\b(?P<x>[^.,;!?]+?) nicht mehr\b",
    r"\bkeine?[nmrs]? (?P<x>[^.,;!?]+?) mehr\b",
    r"\bya no (?P<x>[^.,;!?]+)",
    r"\b(?:deje|dejado|dejamos) (?:de )?(?P<x>[^.,;!?]+)",
    r"\bne (?P<x>[^.,;!?]+?) plus(?: [^.,;!?]+)?$",
    r"\b(?:arrete|cesse) (?:de )?(?P<x>[^.,;!?]+)",
    rf"(?:不再|戒了|戒掉了?|放弃了?|已经不)(?P<x>[{CJK}a-z]+?)了?(?=$|[ 。，])",
    rf"もう(?P<x>[{CJK}a-z]+?)(?:ない|ません)",
    rf"(?:^|[は、。, ])(?P<x>[{CJK}a-z]+?)(?:を|は)?(?:やめ|辞め)",
)  # fmt: skip
"""What is over."""

ENDED = re.compile(
    r"\bno longer\b|\b(?:not|never|nothing|no)\b[^.;]*\b(?:any ?more|any longer)\b|\b(?:have |has |am |is )?(?:stopped|quit|quitting|given up|gave up|done with|finished with|through with|gotten rid of|got rid of|sworn off|swore off|cancelled|canceled)\b"
    r"|\bnicht mehr\b|\bkeine?[nmrs]?\b[^.;]*\bmehr\b|\baufgehort\b|\baufgegeben\b|\babgewohnt\b"
    r"|\bya no\b|\b(?:deje|dejado|dejo|dejamos)\b(?: de)?|\bne\b[^.;]{0,40}\bplus\b|\b(?:arrete|cesse)\b"
    r"|不再|已经不|戒了|戒掉|停止|放弃了|不[^，。]{1,8}了|もう[^。]*(?:ない|ません)|やめ(?:た|まし|て)|辞め|(?:なく|無く)なり"
)  # fmt: skip
"""That something is over."""

PAST = re.compile(
    r"\bused to\b|\bformerly\b|\bpreviously\b|\bin the past\b|\bback then\b|\bas a child\b|\bgrew up\b|\bwas born\b|\bonce (?:lived|worked)\b"
    r"|\bfruher\b|\bdamals\b|\bantes\b|\bde nino\b|\bsolia\b|\bautrefois\b|\bavant\b|\bjadis\b|以前|从前|曾经|昔|かつて"
)  # fmt: skip
"""That it was so once. In an old statement it says nothing of today."""

UNREAL = re.compile(
    r"\?\s*$|\b(?:would (?:like|love|hate) to|want(?:s|ed)? to|desire to|wish(?:es)?|hop(?:e|es|ing) to|plan(?:s|ning)? (?:to|on)|dream(?:s|ing)? of|might|(?:i|we|you|he|she|they|it) may|maybe|perhaps|"
    r"consider(?:s|ing)?|think(?:s|ing)? (?:about|of)|applied|applying|going to (?:move|start|try|switch|become|eat|buy|quit|stop)|someday|try(?:ing)? to (?:quit|stop|give up|cut)|if i|if we|pretend|imagine|suppose|thought about)\b|^if\b"
    r"|\b(?:mochte|wurde|konnte|vielleicht|uberlege|falls|hoffe)\b|\b(?:quiero|quisiera|gustaria|quiza|quizas|tal vez|ojala|pienso)\b"
    r"|\b(?:voudrais|aimerais|peut-etre|pense|envie d)\b|如果|可能|也许|打算|考虑|我想|かもしれ|たいです|たいと|もし"
)  # fmt: skip
"""That it is wished, planned, possible or asked, and not so."""
