"""Japanese, polite and plain: …です, …が好きです, …と呼んで, いつも and 絶対に…ないで, and もう…ない."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .grammar import Form, Frame, Language
from .words import meanings, same

__all__ = ["LANGUAGE"]

_IS = r"(?:です|だ|だよ|だね|なんです|なんだ|なの|である|でございます|ですよ|ですね|なので|ですので|だから|ですから)?"
_NOT = r"(?:では|じゃ|でも)(?:ありません|ない|ないです|なくなりました|なくなった|ないよ|ありませんよ)"
_LIVES = r"住んで(?:います|いる|る|ます|おります|いるよ|いるので|いますので|るので|るよ|るんだ|いるんです)"
_WORKS = r"(?:働いて|勤めて|勤務して)(?:います|いる|る|ます|おります|いるよ|るよ|るんだ)"
_LIVED = r"住んで(?:いました|いた|た|ました)"
_WORKED = r"(?:働いて|勤めて|勤務して)(?:いました|いた|た|ました)"
_PLEASE = r"(?:ください|下さい|くださいね|ね|よ|くれ|ほしい|欲しい|欲しいです|ほしいです|もらえますか)?"
_ME = r"(?:(?:私|わたし|わたくし|僕|ぼく|俺|おれ|うち|自分)(?:は|って|には|も|の場合は)[、,]?)"
_KIN = r"(?P<relation>母|お母さん|父|お父さん|兄|弟|姉|妹|息子|娘|夫|旦那|妻|奥さん|嫁|彼氏|彼女|祖母|祖父|いとこ)"
_ANIMAL = r"(?P<animal_>犬|猫|うさぎ|ウサギ|ハムスター|インコ|馬|亀|カメ|蛇|鳥|金魚)"
_TASTE = {
    "好き": "likes", "大好き": "loves", "大好物": "loves", "嫌い": "hates", "きらい": "hates", "大嫌い": "hates", "苦手": "dislikes", "好みじゃない": "dislikes",
}  # fmt: skip
_END = r"(?:です|だ|だよ|なんです|なんだ|ですよ|ですね|だね|なので|なの|ですが|だけど|で)?"

LANGUAGE = Language(
    code="ja",
    hint=r"[ぁ-ゖァ-ヺ]",
    spaced=False,
    joins_words=True,
    cuts=rf"(?:なので|だから|ですから)[、,]?\s*|(?<=[るいすだんよねりで])(?:ので|から|けど|けれど|が|し)[、,]\s*|[、,]\s*(?:だから|なので|でも|しかし|それで|あと|それから|また|そして)[、,]?|[、,]\s*(?=(?:何|なに|どう|どこ|どの|誰|いつ|おすすめ|{_ME}))|(?<=[んいすた])[、,]\s*(?=(?:今は|現在は|もう))|[（(]",
    openers=rf"^(?:(?:こんにちは|こんばんは|おはようございます|はい|うん|ええ|いいえ|いや|ううん|違います|違う|ちがう|ちなみに|実は|じつは|ところで|えっと|あの|すみません|ごめん|訂正|正直|基本的に|あと|それと|補足ですが|念のため|やっぱり|やはり|今は|現在は|現在|どうか)[、,。！! ]*|{_ME})",
    closers=r"(?:[\s、,。.!！~～…]+|(?:よろしく(?:お願いします)?|お願いします|ありがとう(?:ございます)?|ちなみに)|[^\w\s\"')\]%+#\x00ー]+)+$",
    unreal=r"もし|たら|なら(?!ない)|れば|かもしれ|かも$|かな|でしょう|だろう|と思|気がする|みたい|ようだ|らしい|そうだ$|そうです$|たぶん|多分|おそらく|仮に|だったら|のに|つもり|になりたい|たい(?:です)?$|とか|昨日|いつか|ですか|ますか|か$|の？|(?:と|って)(?:言った|言いました|言われ|聞いた|聞きました)|[だるい]といい[なねけの]",
    reported=r"(?:って|と)(?:言|い)(?:った|って|いました|われ|う|ます)[、,]?\s*$|(?:さん|くん|ちゃん|母|父|友達|彼|彼女|先生|上司|医者)(?:は|が|によると)[、,]?\s*$|^(?:もし|仮に)|歌詞|タイトル|セリフ",
    asks=r"(?:何|なに|なん|どう|どこ|どの|どれ|どんな|誰|だれ|いつ|なぜ|おすすめ|お勧め|教えて|ありますか|できますか|.{0,20}(?:ですか|ますか|かな|でしょうか|くれる|もらえる|れる|ある|ない|いい)$)",
    things=r"(?<=[^ぁ-ゖ])[はがも]|(?<=[^ぁ-ゖ])か(?=[^ぁ-ゖ])|を|って|けど|から|ので|たら|れば|なら|これ|それ|あれ|ここ|そこ|この|その|あの|こと|(?<!い)もの|とき|時$|何|誰|どこ|みんな|皆|人$|あなた|君|きみ|彼|自分|友達|さん|今日|明日|昨日|です|ます|ない|した|する|して|全部|すべて|^の|^に|^と|^で|^な|月曜|方$|ほう$",
    articles=r"^(?:一匹の|二匹の|いろいろな|色々な|すべての|全ての|少し|ちょっと|流暢な)",
    joints=r"\s*(?:、|(?<=[^ぁ-ゖ])とか?|と(?=[^ぁ-ゖか])|(?<=[^ぁ-ゖ])や(?=.)|および|及び|,|&|・)\s*",
    filler=r"いつも|必ず|常に|絶対に|絶対|決して|二度と|もう|毎回|ください|下さい|今後は?|これからは?|しないで|ないで|して|で$|ね$|私|僕|俺|は|を|に|が|の",
    momentary=r"[こそあ]の|これ|それ|今回|今日|今すぐ|いま|今は|明日|ここ|そこ|とりあえず|一旦|いったん|さっき",
    chosen=r"^(?:その|あの|この)|(?:の方|のほう|のやつ|の|版)$",
    own=r"私|僕|俺|うち",
    particular=r"[私僕俺\d]|[A-Za-z]|[ァ-ヺ]|は",
    contractions=((r"(?<=[\u3040-鿿、]) +| +(?=[\u3040-鿿、])", ""),),
    takes_back=r"じゃない|ではない|嘘|冗談|なんて|って|前は|昔",
    conditions=r"(?:覚えておいて|忘れないで)(?:ください|下さい|ね)?$|.{1,20}(?:時は|ときは|とき|場合は|際は|には)",
    corrects=r"いいえ|いや|ううん|違います|違う|ちがう|訂正|実は|本当は|正しくは|じゃなくて",
    leaning=r"(?:いいえ|いや|ううん|違います|違う|違うよ|ちがう|訂正|すみません|ごめん)?[、,。！! ]*(?:実は|本当は|正しくは|じゃなくて|ではなくて)?[、,]?(?P<new>[^、,はがをも]{1,16}?)(?:です|だよ|だ|なんだ|なんです|ですよ)",
    lexicon={
        "diet": meanings("ベジタリアン|菜食主義者|菜食主義=vegetarian; ビーガン|ヴィーガン|完全菜食主義者|完全菜食=vegan; ペスカタリアン=pescatarian; ハラール|ハラル=halal; グルテンフリー=gluten-free; コーシャ=kosher"),
        "country": meanings("日本=Japan; 中国=China; 台湾=Taiwan; 韓国=South Korea; 香港=Hong Kong; シンガポール=Singapore; アメリカ|米国=United States; カナダ=Canada; イギリス|英国=United Kingdom; ドイツ=Germany; フランス=France; スペイン=Spain; イタリア=Italy; オランダ=Netherlands; スイス=Switzerland; オーストリア=Austria; オーストラリア=Australia; ニュージーランド=New Zealand; タイ=Thailand; ベトナム=Vietnam; インド=India; ブラジル=Brazil; ロシア=Russia; スウェーデン=Sweden"),
        "language": meanings("日本語=Japanese; 英語=English; 中国語=Chinese; 北京語=Mandarin; 広東語=Cantonese; 韓国語=Korean; ドイツ語=German; フランス語=French; スペイン語=Spanish; イタリア語=Italian; ポルトガル語=Portuguese; ロシア語=Russian; アラビア語=Arabic; タイ語=Thai; ベトナム語=Vietnamese; オランダ語=Dutch; 手話=sign language"),
        "nation": meanings("日本人=Japanese; 中国人=Chinese; 台湾人=Taiwanese; 韓国人=Korean; アメリカ人=American; イギリス人=British; ドイツ人=German; フランス人=French; スペイン人=Spanish; イタリア人=Italian; カナダ人=Canadian; オーストラリア人=Australian; ブラジル人=Brazilian; インド人=Indian; ロシア人=Russian"),
        "job": same("看護師|医者|医師|エンジニア|教師|先生|教員|プログラマー|プログラマ|開発者|デザイナー|弁護士|会計士|税理士|料理人|シェフ|記者|ジャーナリスト|警察官|警官|学生|大学生|大学院生|高校生|教授|研究者|研究員|科学者|会社員|サラリーマン|公務員|主婦|主夫|フリーランス|コンサルタント|翻訳者|翻訳家|通訳|作家|編集者|写真家|カメラマン|音楽家|ミュージシャン|俳優|画家|イラストレーター|漫画家|運転手|パイロット|農家|薬剤師|歯科医|歯医者|獣医|心理士|建築家|電気技師|大工|美容師|店員|ウェイター|消防士|介護士|保育士|助産師|経営者|起業家|営業|マネージャー|アナリスト|司書|理学療法士"),
        "kin": meanings("母|お母さん=mother; 父|お父さん=father; 兄|弟=brother; 姉|妹=sister; 息子=son; 娘=daughter; 子供|子ども=children; 双子=twins; 夫|旦那=husband; 妻|奥さん|嫁=wife; 彼氏=boyfriend; 彼女=girlfriend; 祖母=grandmother; 祖父=grandfather; いとこ=cousin; 孫=grandchildren"),
        "animal": meanings("犬|子犬=dog; 猫|子猫|ネコ=cat; うさぎ|ウサギ=rabbit; ハムスター=hamster; インコ=budgie; オウム=parrot; 馬=horse; 金魚|魚=fish; 亀|カメ=turtle; 蛇|ヘビ=snake; 鳥|小鳥=bird"),
        "health": meanings("糖尿病=diabetes; 喘息|ぜんそく=asthma; 高血圧=high blood pressure; てんかん=epilepsy; 偏頭痛|片頭痛=migraines; うつ病=depression; 花粉症=hay fever; アトピー=eczema; 色盲|色弱=color-blind; 乳糖不耐症=lactose intolerance; セリアック病=celiac disease; 痛風=gout; ADHD=adhd; 妊娠中=pregnant"),
        "belief": meanings("キリスト教徒|クリスチャン=Christian; カトリック=Catholic; 仏教徒=Buddhist; イスラム教徒|ムスリム=Muslim; 無神論者=atheist"),
        "attribute": meanings('靴のサイズ=notes.shoe-size; 身長=health.height; 体重=health.weight; 血液型=health.blood-type; 星座=notes.star-sign; 予算=finances.budget; エディタ|エディター=choices.editor; ブラウザ=choices.browser; 専攻=notes.major; 趣味=notes.hobby; 苗字|名字=notes.last-name'),
        "habit": meanings("タバコ|たばこ|煙草=smoking; お酒|酒|飲酒=drinking; ギャンブル=gambling"),
        "status": meanings("既婚|既婚者|結婚=married; 独身=single; 離婚=divorced"),
        "manner": meanings("もっと短く|短く|簡潔に|手短に=short answers; もっと詳しく|詳しく=detailed answers; もっと簡単に|わかりやすく|簡単に=simple words; 箇条書きで=bullet points; 表で|表にして=tables; ステップごとに|順を追って=step by step; もっと丁寧に|敬語で=formal tone; タメ口で=informal tone; 絵文字なしで=no emojis; コードだけ=code only"),
        "not-allergen": same("月曜日|仕事|人|人間|馬鹿|勉強|会議|運動"),
        "not-name": same("タクシー|救急車|後で|あとで|何|医者|助け|また|いつでも|明日"),
        "not-place": same("大丈夫|結構|元気|平気|無理|好き|嫌い|本当|嘘|冗談|終わり|初めて|問題|簡単|大変|最高|残念|家|実家|ここ|そこ|アパート|マンション|田舎|近く|都会|学校|会社|ホテル|一緒|寮|海外|一人"),
    },
    frames=(
        Frame(rf"もう(?P<rest>.+?){_NOT}$", r"\g<rest>です", Action.END),
        Frame(r"(?P<rest>.+?)では?なくなりました$", r"\g<rest>です", Action.END),
        Frame(r"(?P<rest>.{0,10}(?:タリアン|ビーガン|ヴィーガン))を(?:やめました|やめた)$", r"\g<rest>です", Action.END),
        Frame(r"(?:もう)?(?P<rest>.+)には?(?:もう)?住んで(?:いません|いない|ない|ません|いないです)$", r"\g<rest>に住んでいます", Action.END),
        Frame(r"(?:もう)?(?P<rest>.+)では?(?:もう)?働いて(?:いません|いない|ない|ません)$", r"\g<rest>で働いています", Action.END),
        Frame(rf"(?:以前|前|昔|かつて)は?(?P<rest>.+)に{_LIVED}$", r"\g<rest>に住んでいます", Action.END),
        Frame(rf"(?:以前|前|昔|かつて)は?(?P<rest>.+)で{_WORKED}$", r"\g<rest>で働いています", Action.END),
        Frame(r"(?:以前|前|昔|かつて)は?(?P<rest>.+)(?:でした|だった)$", r"\g<rest>です", Action.END),
        Frame(r"(?P<rest>.+?)(?:では|じゃ)(?:ありません|ないです|ない)$(?<!好きではありません)(?<!好きじゃない)(?<!好きじゃないです)(?<!好きではない)", r"\g<rest>です", Action.END),
        Frame(r"(?:今は|現在は|現在|今|実は|本当に|すごく|とても|ずっと|特に)(?=[^、]{2,})", ""),
        Frame(r"(?:私|わたし|僕|俺|うち)の(?=誕生日|仕事|職業|名前|母語|血液型|趣味|身長|体重|星座)", ""),
        Frame(r"(?:私|わたし|僕|俺)のこと[はを]", ""),
        Frame(r"(?:もう)?(?P<rest>[A-Za-z][\w .+#-]{1,20})[はを](?:もう)?使って(?:いません|いない|ない|ません)$", r"\g<rest>を使っています", Action.END),
        Frame(rf"{_ME}", ""),
    ),
    forms=(
        Form(r"(?:今後は?|これからは?|今から)[、,]?(?P<words>.{3,50}(?:て|で|ないで|てください|でください|ないでください|て下さい|てね|ないでね))", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?:.{{1,24}}[はをにで、])?(?:絶対に?|決して|二度と|もう二度と).{{1,40}}ないで{_PLEASE})", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:.{{1,24}}[はをにで、])?(?:いつも|必ず|常に|毎回).{{1,40}}(?:て|で){_PLEASE})", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>.{{1,30}}(?:使わ|呼ば|送ら|予約し|勧め|注文し|書か|付け|つけ|入れ|聞か|見せ|言わ|話さ|電話し|おすすめし|提案し|買わ)ないで{_PLEASE})", "rules.*", "=", 0.8, imperative=True),
        Form(rf"(?:覚えておいて|覚えて|忘れないで){_PLEASE}[、,。：: ]+(?P<note>.{{3,80}})", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(rf"(?P<note>.{{3,80}}?)(?:(?:ということ|という事|こと|の|事)を?|と|って)(?:覚えておいて|覚えといて|覚えて|忘れないで){_PLEASE}", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(rf"(?:(?:私の|わたしの|僕の|俺の)?名前は|本名は|名前が)(?P<name>.{{1,12}}?){_IS}", "name", None, 0.97),
        Form(r"(?P<name>.{1,12}?)(?:と申します|といいます|と言います|っていいます|って言います)", "name", None, 0.96),
        Form(rf"(?P<called>.{{1,10}}?)(?:と|って)呼んで{_PLEASE}", "nickname", None, 0.95),
        Form(r"(?:みんな|皆|友達|友人|周り)(?:に|から)は?(?P<called>.{1,10}?)と呼ばれて(?:います|いる|る)", "nickname", None, 0.93),
        Form(rf"(?:あだ名|ニックネーム)は(?P<called>.{{1,10}}?){_IS}", "nickname", None, 0.95),
        Form(rf"誕生日は(?P<date>.*\d.*?){_IS}", "birthday", None, 0.95),
        Form(rf"(?P<number>\d+)[歳才]{_IS}", "age", None, 0.95),
        Form(rf"(?:メールアドレス|メール)は(?P<address>[\w.+-]+@[\w-]+(?:\.[A-Za-z]+)+){_IS}", "email", None, 0.95),
        Form(rf"(?P<nation>.+?){_IS}", "nationality", None, 0.9),
        Form(r"(?P<language>.+?)(?:を話します|が話せます|を話せます|が話せる|を話す|を話せる|ができます|が喋れます|がしゃべれます)", "languages.*", None, 0.92),
        Form(rf"(?:母語|母国語)は(?P<language>.+?){_IS}", "languages.*", None, 0.95),
        Form(rf"(?P<place>.{{1,12}}?)に{_LIVES}", "home.city", None, 0.93),
        Form(rf"(?P<place>.{{1,12}}?)(?:在住|に在住){_IS}", "home.city", None, 0.92),
        Form(r"(?:.{1,8}から)?(?:最近|先月|去年|先週)?(?P<place>.{1,12}?)(?:に|へ)(?:引っ越しました|引っ越した|引っ越してきました|引越しました|移住しました|引っ越したんだ|引っ越したよ)", "home.city", None, 0.92),
        Form(rf"(?P<org>.{{1,16}}?)(?:で|に){_WORKS}", "work.employer", None, 0.92),
        Form(rf"(?P<org>.{{1,16}}?)で(?P<job>.{{2,14}})(?:として{_WORKS}|をしています|をしている|をしてる|をやっています|をやってる)", "work.employer work.role", None, 0.92),
        Form(rf"(?P<job>.{{2,14}})(?:として{_WORKS}|をしています|をしている|をしてる|をやっています|をやってる)", "work.role", None, 0.92),
        Form(rf"(?:職業は|仕事は)(?P<job>.{{2,14}}?){_IS}", "work.role", None, 0.93),
        Form(r"(?P<job>.{2,14}?)(?:です|だ|だよ|なんです|なんだ|である|ですよ|なので|ですので)", "work.role", None, 0.9),
        Form(r"(?:仕事|会社)を(?:辞めました|辞めた|やめました|やめた|退職しました)|退職しました|退職した", "work.employer", None, 0.9, action=Action.END),
        Form(r"(?P<former>.{1,16})を(?:辞めました|退職しました)", "work.employer", None, 0.85, action=Action.END),
        Form(rf"(?P<diet>.+?){_IS}", "diet", None, 0.94),
        Form(r"(?P<diet>.+?)に(?:なりました|なった)", "diet", None, 0.93),
        Form(r"(?P<allergens>.{1,30}?)に(?:は)?アレルギー(?:があります|がある|です|なんです|を持っています|があるんです|があるので)", "allergies.*", None, 0.97),
        Form(r"(?P<allergens>.{1,30}?)の?アレルギー(?:|です|だ|だよ|なんです|なんだ|があります|がある|を持っています|持ちです|なので|があって)", "allergies.*", None, 0.97),
        Form(r"(?P<tool>[A-Za-z][\w .+#-]{1,20})を使って(?:います|いる|ます|る)", "tools.*", None, 0.85),
        Form(r"(?P<fact>.{1,12}?)が趣味(?:です|だ|だよ|なんです)?", "notes.hobby", None, 0.88),
        Form(r"(?P<health>.+?)(?:です|なんです|があります|がある|を患っています|持ちです|だ|なんだ)", "health.*", None, 0.92),
        Form(rf"(?P<belief>.+?){_IS}", "beliefs.*", None, 0.9),
        Form(rf"(?:私の|僕の|俺の)?{_KIN}の名前は(?P<name>.+?){_IS}", "family.{relation}.name", None, 0.93),
        Form(r"(?P<kin>.+?)が(?:[一二三四五\d]人)?(?:います|いる|いるよ|おります)", "family.*", None, 0.9),
        Form(rf"(?:私の|僕の|俺の|うちの|飼い)?{_ANIMAL}の名前は(?P<name>.+?){_IS}", "pets.*", "{animal_}", 0.93),
        Form(rf"(?P<name>.{{1,10}}?)という(?:名前の)?{_ANIMAL}を飼って(?:います|いる|る)", "pets.*", "{animal_}", 0.93),
        Form(r"(?P<animal>.+?)を(?:[一二三四五\d]匹)?飼って(?:います|いる|る|ます)", "pets.*", None, 0.92),
        Form(rf"(?P<attribute>.{{1,6}}?)は(?P<fact>.{{1,20}}?){_IS}", "{attribute}", None, 0.88),
        Form(rf"(?:一番|いちばん|私の|僕の)?好きな(?P<topic>.{{1,6}}?)は(?P<thing>.{{1,16}}?){_IS}", "choices.{topic}", None, 0.9),
        Form(rf"(?:.{{1,12}}より(?:も)?)?(?P<things>.{{1,16}}?)の(?:ほう|方)が(?:好き|いい){_END}", "preferences.*", "prefers", 0.92),
        Form(rf"(?P<things>.{{1,24}}?)が(?:とても|すごく|本当に|めっちゃ)?(?P<verb>{'|'.join(sorted(_TASTE, key=len, reverse=True))}){_END}", "preferences.*", _TASTE, 0.9),
        Form(rf"(?P<things>.{{1,24}}?)は(?:とても|すごく|本当に)?(?P<verb>嫌い|きらい|大嫌い|苦手){_END}", "preferences.*", _TASTE, 0.9),
        Form(r"(?:もう)?(?P<things>.{1,24}?)[がは](?:あまり)?好き(?:では|じゃ)(?:ありません|ない|ないです|なくなりました|なくなった)", "preferences.*", "dislikes", 0.9),
        Form(r"(?:もう)?(?P<things>.{1,24}?)[はを](?:一切|もう|全く)?(?:食べません|食べない|食べられません|食べられない|飲みません|飲まない|飲めません|飲めない|食べないです|飲まないです)", "preferences.*", "avoids", 0.9),
        Form(r"(?P<old>.{1,16}?)をやめて(?P<new>.{1,16}?)に(?:しました|した|しています)", "preferences.*", "prefers", 0.9),
        Form(r"(?P<old>.{1,16}?)から(?P<new>.{1,16}?)に(?:変えました|変えた|乗り換えました|乗り換えた|切り替えました|切り替えた|移行しました|替えました)", "preferences.*", "prefers", 0.9),
        Form(r"(?P<habit>タバコ|たばこ|煙草|お酒|酒|ギャンブル)を(?:やめました|やめた|止めました|辞めました)", "routines.*", "quit", 0.9),
        Form(r"もう(?P<habit>タバコ|たばこ|煙草|お酒)[はを](?:吸っていません|吸っていない|吸ってない|吸いません|飲んでいません|飲んでいない)", "routines.*", "quit", 0.9),
        Form(r"(?P<habit>タバコ|たばこ|煙草)[はを](?:吸いません|吸わない|吸わないです)", "routines.*", "no", 0.88),
        Form(rf"(?P<status>既婚|既婚者|独身){_IS}|(?P<status2>結婚|離婚)して(?:います|いる|ます|る)", "family.status", None, 0.9),
        Form(r"(?P<words>(?:いつも|毎日|毎朝|毎晩|必ず).{1,30}(?:飲みます|飲む|食べます|食べる|使います|使う|走ります|走る|乗ります|乗る|頼みます|頼む|寝ます|寝る|起きます|起きる))", "routines.*", "=", 0.88),
        Form(r"(?:じゃあ|では|また)?[、,]?(?P<choice>.{1,14}?(?<!な)(?:の方|のほう|のやつ|の))(?:にします|にする|でお願いします|で|がいいです|がいい)", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True, raw=True),
        Form(r"(?P<manner>.{2,12}?)(?:お願いします|して|してください|で|頼む|答えて|説明して|説明してください)?", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?P<language>.{2,6}?)で(?:お願いします|答えて|答えてください|書いて|話して)", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
