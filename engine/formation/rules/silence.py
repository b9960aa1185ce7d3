"""What keeps a whole message, or a sentence, from being read at all: jokes, role play, texts that were asked for or
pasted, instructions that pose as memories, and secrets.

In all languages at once: a joke in French behind an English sentence is a joke.
"""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

import re

from ..secrets import holds_secret

__all__ = ["is_secret", "silent_from"]

_JOKES = re.compile(
    r"[😂🤣🙃🙄😏😜😝🤪😹😆]|(?:^|\s)(?:[;:x]-?[dp]|;-?\)|/s|/j)(?=\s|$)|"
    r"\b(?:lo+l|lmf?ao|rofl|ha(?:ha)+h?|je(?:je)+|ja(?:ja)+|just kidding|only kidding|i'?m kidding|jk|j/k|joking|as a joke|"
    r"sarcasm|ironic(?:ally)?|kleiner scherz|nur spa(?:ß|ss)|(?:war )?(?:nur )?ein (?:witz|scherz)|es broma|said no (?:one|\w+) ever|oh,? sure|oh great|yeah right|era broma|"
    r"bromeo|bromeando|je (?:plaisante|rigole|d[ée]conne)|je blague|ptdr|mdr)\b|开玩笑|開玩笑|哈哈|(?<!why )(?<!or )(?<!if )\b(?:not|not really|i wish|as if)\W*\Z|说笑|說笑|冗談|なんちゃって|笑$|[wｗ]{2,}$|（笑）|\(笑\)",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\byou are (?:now |no longer )?(?:an? |the |my )?(?:[\w'-]+ ){0,4}(?:assistant|bot|chatbot|expert|ai|model|agent|pirate|character|"
    r"teacher|tutor|translator|interviewer|therapist|doctor|narrator|gpt|dan|terminal|interpreter|engine|system|player|coach|writer|engineer)\b|"
    r"\b(?:act|behave|respond|answer|speak|talk) as(?: if| though)? (?:you|an?|the|my)\b|\bpretend(?:ing)?\b|\brole.?play|\bimagine\b|"
    r"\bsystem prompt\b|\bprompt:|\blet's say\b|\bin (?:the|this|my|our) (?:story|novel|scene|game|play|book|scenario|movie|example)\b|\bhypothetical|\bfiction|"
    r"\bi'?m (?:writing|playing)\b|\bmy character\b|\blyrics?\b|\bthe song\b|♪|♫|"
    r"\A\s*(?:dear|sehr geehrter?|estimad[oa]s?|querid[oa]s?|cher|ch[eè]re|madame|monsieur) [^\n]{1,40},|\b(?:best|kind) regards\b|"
    r"\bas (?:they|people|we|you) (?:always )?say\b|\bas the saying goes\b|\bthe saying goes\b|\bwie man (?:so )?(?:schön )?sagt\b|\bcomme on dit\b|\bcomo (?:se dice|dicen)\b|"
    r"俗话说|俗話說|常言道|ことわざ|"
    r"\bdu bist (?:jetzt |nun |ab jetzt )?(?:ein|eine|der|die|mein|meine)\b|\bspiel(?:e|st)? (?:die rolle|den|einen|eine)\b|\bstell dir vor\b|\btu so\b|\bverhalte dich\b|"
    r"\bin (?:der|dieser|meiner) geschichte\b|"
    r"\beres (?:ahora )?(?:un|una|mi)\b|\bact[úu]a como\b|\bimag[ií]na(?:te)?\b|\bfinge\b|\bsupon(?:gamos)?\b|"
    r"\btu es (?:maintenant )?(?:un|une|mon|ma)\b|\bvous [êe]tes (?:un|une|mon|ma)\b|\bagis comme\b|\bfais comme si\b|\bimagin(?:e|ons|ez)\b|\bsupposons\b|"
    r"你(?:现在|現在)?是(?:一[个個名位]|我的)|扮演|假装|假裝|假设|假設|想象|想像|歌词|歌詞|"
    r"あなたは.{0,12}(?:です|アシスタント)|のふり|演じて|想像して|と仮定|歌詞",
    re.IGNORECASE,
)
_ORDERED = re.compile(
    r"\b(?:write|draft|compose|translate|rephrase|rewrite|proofread|summari[sz]e|paraphrase|correct|complete|continue|repeat after) "
    r"(?:me |us |up )?(?:an?|the|this|that|my|these|following|into|to|it|from|:|some|\d+)\b|\btranslate\b ?:?|\bhow (?:do|would|can) (?:you|i|one) say\b|\bwhat does\b.{0,80}\bmean\b|"
    r"\bfor example\b|\be\.g\.|\bsample (?:text|sentence)|\btemplate\b|"
    r"\b(?:ü|ue)bersetze?n?\b|\bschreib(?:e|st)? (?:mir )?(?:eine?n?|den|das|die)\b|\bformuliere\b|\bkorrigiere\b|\bzum beispiel\b|"
    r"\btrad[úu]c\w*\b|\bescr[ií]be(?:me)? (?:un|una|el|la)\b|\bredacta\b|\bcorrige\b|\bpor ejemplo\b|"
    r"\btradui[st]\w*\b|\b[ée]cri[st] ?(?:-?moi )?(?:un|une|le|la)\b|\br[ée]dige\b|\bpar exemple\b|"
    r"翻译|翻譯|写一[篇封段个]|寫一[篇封段個]|例如|比如|翻訳|訳して|書いて(?:ください|$)|例えば|たとえば",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(
    r"\s*(?:(?:this|that|it|these|those|the (?:above|sentences?|text|previous|last))\b\s*(?:$|[.,!?:\n]|to\b|into\b|in\b|for\b|as\b|please\b)|"
    r"(?:das|dies|es|den satz|den text)\b\s*(?:$|[.,!?:\n]|bitte\b|auf\b|ins\b|in\b)|(?:esto|eso|lo|la frase|el texto)\b|(?:[çc]a|cela|ceci|la phrase|le texte)\b|"
    r"(?:这|這|上面|以上|一下(?:这|這|上面)))",
    re.IGNORECASE,
)
"""Behind such an order: what it is about stands before it."""
_VERB = re.compile(r"翻译|翻譯|[^\W\d_]+(?: me| us| mir| uns|-moi)?\b", re.IGNORECASE)
_THIS = re.compile(r"[これそ上記](?:れ|の文)?を$")
_INJECTED = re.compile(
    r"\bthe user(?:'s|s)?\b|\b(?:ignore|disregard|forget|override) (?:all |any |the |your |my |these |everything|every )*(?:previous|prior|above|earlier|instruction|rules?|everything|memor)|"
    r"\b(?:store|save|record|write|add|log) (?:this|that|it|the following)\b.{0,40}\b(?:as|to|in|into)\b|\byou (?:must|are) now\b|\bsystem ?(?:message|note|override|:)|"
    r"\b(?:assistant|system|human|user|ai|tool) ?:|<\|?(?:im_start|system|user|assistant|tool|inst)|\[/?inst\]|\bdelete (?:all|every|any|the|my) |\bwipe\b|\bexfiltrat|\bjailbreak|"
    r"\bder (?:be)?nutzer\b|\bdes nutzers\b|\bignoriere\b|\bvergiss alle|\bspeicher(?:e|n)? (?:das|dies|folgendes)\b|\bl[öo]sche? alle|"
    r"\b(?:el|del) usuario\b|\bignora (?:todas|las|tus)\b|\bolvida (?:todo|todas|tus)|\bguarda esto\b|\bborra todo|"
    r"\bl'utilisateur\b|\bignore[zr]? (?:toutes|les|tes|vos)\b|\boublie[zr]? (?:tout|toutes|tes)|\benregistre (?:ceci|cela|[çc]a)\b|\b(?:efface|supprime)[zr]? tou|"
    r"用户|用戶|使用者|忽略|无视|無視|删除所有|刪除所有|ユーザー|指示を無視|すべて(?:の|を)?.{0,8}(?:削除|消)",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"\{\{|\}\}|\$\{|\{[\w ]+\}|\[[A-Za-z][\w ]{1,30}\](?!\()|<[\w /]{1,30}>|_{3,}|\bxxx+\b|\blorem ipsum\b",
    re.IGNORECASE,
)
_SECRET_WORDS = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)s?|passwd|pwd|pin(?: ?code| number)?|cvv|cvc|(?:api|secret|private|access|recovery|seed|license|encryption) ?-?(?:key|token|phrase|code)s?|"
    r"token|secrets?|credentials?|credit card|card number|debit card|iban|bic|ssn|social security|2fa|otp|one.time code|login|"
    r"passw[öo]rt|kennwort|zugangsdaten|geheimzahl|kreditkarte\w*|kartennummer|kontonummer|geheimnis|sozialversicherungsnummer|"
    r"contrase[ñn]a|clave(?: secreta)?|tarjeta de cr[ée]dito|n[úu]mero de tarjeta|secreto|"
    r"(?:door|gate|access|entry|alarm|security|lock|safe) ?(?:code|combination)|türcode|t[uü]rcode|c[oó]digo de la puerta|code de la porte|"
    r"mot de passe|code secret|code pin|carte (?:bancaire|bleue|de cr[ée]dit)|num[ée]ro de (?:carte|s[ée]curit[ée] sociale)|identifiants)\b|"
    r"密码|密碼|口令|密钥|密鑰|信用卡|卡号|卡號|身份证|身份證|验证码|驗證碼|パスワード|暗証番号|秘密鍵|クレジットカード|カード番号|マイナンバー|合言葉",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"(?<![+\d])\d(?:[ -]?\d){12,}")
_MAX_LINES = 40


def silent_from(text: str) -> int:
    """From where on nothing in *text*, a folded message, is to be taken as the person's word about themselves: 0 for
    all of it, its length for nothing of it.

    A joke, a part to play, a template or an order to the memory takes in the whole message. A text that is asked for
    does so only from there on (*I'm vegan, write me a meal plan*), unless it is what was said before (*translate that*).
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > _MAX_LINES or _is_verse(lines):
        return 0
    if any(pattern.search(text) for pattern in (_JOKES, _PLAYED, _INJECTED, _TEMPLATE)):
        return 0
    ordered = _ORDERED.search(text)
    if ordered is None:
        return len(text)
    verb = _VERB.match(text, ordered.start())
    back = _BACKWARDS.match(text, verb.end() if verb else ordered.end())
    before = text[max(0, ordered.start() - 6) : ordered.start()]
    return 0 if back or _THIS.search(before) else ordered.start()


def is_secret(text: str, rule: bool) -> bool:
    """Whether the sentence *text* is never learned: it holds a secret, or, unless it is a *rule* (*never commit
    secrets*), speaks of one.
    """
    return holds_secret(text) or (not rule and bool(_SECRET_WORDS.search(text) or _LONG_NUMBER.search(text)))


def _is_verse(lines: list[str]) -> bool:
    """Four or more short lines without a full stop: a song, a poem, a list."""
    if len(lines) < 4:
        return False
    short = [line for line in lines if len(line) < 60 and line.rstrip()[-1:] not in ".!?。！？"]
    return len(short) * 4 >= len(lines) * 3
