"""What keeps a whole message, or a sentence, from being read at all: jokes, role play, texts that were asked for or
pasted, instructions that pose as memories, and secrets.

In all languages at once: a joke in French behind an English sentence is a joke.
"""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

import re

from ..secrets import holds_secret

__all__ = ["is_secret", "is_silent"]

_JOKES = re.compile(
    r"[😂🤣🙃🙄😏😜😝🤪😹😆]|(?:^|\s)(?:[;:x]-?[dp]|;-?\)|/s|/j)(?=\s|$)|"
    r"\b(?:lo+l|lmf?ao|rofl|ha(?:ha)+h?|je(?:je)+|ja(?:ja)+|just kidding|only kidding|i'?m kidding|jk|j/k|joking|as a joke|not really|"
    r"sarcasm|ironic(?:ally)?|kleiner scherz|nur spa(?:ß|ss)|(?:war )?(?:nur )?ein (?:witz|scherz)|es broma|,? i wish\W*\Z|said no (?:one|\w+) ever|oh,? sure|oh great|i'm sure|yeah right|as if|era broma|"
    r"bromeo|bromeando|je (?:plaisante|rigole|d[ée]conne)|je blague|ptdr|mdr)\b|开玩笑|開玩笑|哈哈|\bnot\W*\Z|说笑|說笑|冗談|なんちゃって|笑$|[wｗ]{2,}$|（笑）|\(笑\)",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\byou are (?:now |no longer )?(?:an? |the |my )?(?:[\w'-]+ ){0,4}(?:assistant|bot|chatbot|expert|ai|model|agent|pirate|character|"
    r"teacher|tutor|translator|interviewer|therapist|doctor|narrator|gpt|dan|terminal|interpreter|engine|system|player|coach|writer|engineer)\b|"
    r"\b(?:act|behave|respond|answer|speak|talk) as(?: if| though)? (?:you|an?|the|my)\b|\bpretend(?:ing)?\b|\brole.?play|\bimagine\b|"
    r"\bsystem prompt\b|\bprompt:|\blet's say\b|\bin (?:the|this|my|our) (?:story|novel|scene|game|play|book|scenario|movie|example)\b|\bhypothetical|\bfiction|"
    r"\bi'?m (?:writing|playing)\b|\bmy character\b|\blyrics?\b|\bthe song\b|♪|♫|"
    r"\b(?:write|draft|compose|translate|rephrase|rewrite|proofread|summari[sz]e|paraphrase|correct|complete|continue|repeat after) "
    r"(?:me |us |up )?(?:an?|the|this|that|my|these|following|into|to|it|from|:|some|\d+)\b|\btranslate\b ?:?|\bhow (?:do|would|can) (?:you|i|one) say\b|\bwhat does\b.{0,80}\bmean\b|"
    r"\A\s*(?:dear|sehr geehrter?|estimad[oa]s?|querid[oa]s?|cher|ch[eè]re|madame|monsieur) [^\n]{1,40},|\b(?:best|kind) regards\b|"
    r"\bas (?:they|people|we|you) (?:always )?say\b|\bas the saying goes\b|\bthe saying goes\b|\bwie man (?:so )?(?:schön )?sagt\b|\bcomme on dit\b|\bcomo (?:se dice|dicen)\b|"
    r"俗话说|俗話說|常言道|ことわざ|"
    r"\bfor example\b|\be\.g\.|\bsample (?:text|sentence)|\btemplate\b|"
    r"\bdu bist (?:jetzt |nun |ab jetzt )?(?:ein|eine|der|die|mein|meine)\b|\bspiel(?:e|st)? (?:die rolle|den|einen|eine)\b|\bstell dir vor\b|\btu so\b|\bverhalte dich\b|"
    r"\b(?:ü|ue)bersetze?\b|\bschreib(?:e|st)? (?:mir )?(?:eine?n?|den|das|die)\b|\bformuliere\b|\bzum beispiel\b|\bin (?:der|dieser|meiner) geschichte\b|"
    r"\beres (?:ahora )?(?:un|una|mi)\b|\bact[úu]a como\b|\bimag[ií]na(?:te)?\b|\bfinge\b|\bsupon(?:gamos)?\b|\btrad[úu]c\w*\b|\bescr[ií]be(?:me)? (?:un|una|el|la)\b|\bredacta\b|\bpor ejemplo\b|"
    r"\btu es (?:maintenant )?(?:un|une|mon|ma)\b|\bvous [êe]tes (?:un|une|mon|ma)\b|\bagis comme\b|\bfais comme si\b|\bimagin(?:e|ons|ez)\b|\bsupposons\b|\btradui[st]\w*\b|"
    r"\b[ée]cri[st] (?:-?moi )?(?:un|une|le|la)\b|\br[ée]dige\b|\bpar exemple\b|"
    r"你(?:现在|現在)?是(?:一[个個名位]|我的)|扮演|假装|假裝|假设|假設|想象|想像|翻译|翻譯|写一[篇封段个]|寫一[篇封段個]|例如|比如|歌词|歌詞|"
    r"あなたは.{0,12}(?:です|アシスタント)|のふり|演じて|想像して|翻訳|訳して|書いてください|と仮定|例えば|たとえば|歌詞",
    re.IGNORECASE,
)
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


def is_silent(text: str) -> bool:
    """Whether nothing in *text*, a folded message, is to be taken as the person's word about themselves."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > _MAX_LINES or _is_verse(lines):
        return True
    return any(pattern.search(text) for pattern in (_JOKES, _PLAYED, _INJECTED, _TEMPLATE))


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
