"""Chinese, simplified and traditional: 我是, 我喜欢, 叫我, 总是 and 不要, and 不再."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .grammar import Form, Frame, Language
from .words import meanings, same

__all__ = ["LANGUAGE"]

_ASKING = r"(?:请问|請問|有什么|有什麼|什么|什麼|怎么|怎麼|哪|谁|誰|为什么|為什麼|能不能|可不可以|可以|能|会|會|推荐|推薦|帮我|幫我|给我|給我|应该|應該|有没有|有沒有|你)"
_ALWAYS = r"(?:总是|總是|永远|永遠|一直|每次都|始终|始終|一律|以后都|以後都|今后都|今後都|务必|務必|一定要)"
_NEVER = r"(?:永远不要|永遠不要|绝对不要|絕對不要|千万不要|千萬不要|千万别|千萬別|绝不要|絕不要|绝对别|絕對別|永远别|永遠別|不要再|别再|別再|再也不要|以后不要|以後不要|以后别|以後別|从不|從不)"
_DO = r"(?:用|给|給|叫|发|發|订|訂|点|點|推荐|推薦|问|問|说|說|写|寫|回答|回复|回覆|称呼|稱呼|打电话|打電話|提醒|买|買|加|使用|预订|預訂|安排|提|讲|講|选|選|建议|建議)"
_KIN = r"(?P<relation>妈妈|媽媽|母亲|母親|爸爸|父亲|父親|哥哥|弟弟|姐姐|妹妹|儿子|兒子|女儿|女兒|老公|丈夫|老婆|妻子|太太|先生|男朋友|女朋友|男友|女友|奶奶|爷爷|爺爺|外婆|外公)"
_ANIMAL = r"(?P<animal_>狗|猫|貓|兔子|仓鼠|倉鼠|鹦鹉|鸚鵡|马|馬|乌龟|烏龜|蛇|鸟|鳥)"
_TASTE = {
    "喜欢": "likes", "喜歡": "likes", "很喜欢": "likes", "很喜歡": "likes", "爱": "loves", "愛": "loves", "超爱": "loves", "超愛": "loves", "热爱": "loves", "熱愛": "loves", "非常喜欢": "loves", "非常喜歡": "loves", "最喜欢": "loves", "最喜歡": "loves", "特别喜欢": "loves", "特別喜歡": "loves",
    "讨厌": "hates", "討厭": "hates", "恨": "hates", "很讨厌": "hates", "很討厭": "hates", "不喜欢": "dislikes", "不喜歡": "dislikes", "不爱": "dislikes", "不愛": "dislikes", "更喜欢": "prefers", "更喜歡": "prefers", "偏好": "prefers", "比较喜欢": "prefers", "比較喜歡": "prefers",
    "不再喜欢": "dislikes", "不再喜歡": "dislikes", "宁愿要": "prefers", "受不了": "hates", "不吃": "avoids", "不喝": "avoids", "不能吃": "avoids", "不能喝": "avoids", "从不吃": "avoids", "從不吃": "avoids", "从不喝": "avoids", "從不喝": "avoids", "不再吃": "avoids", "不再喝": "avoids", "已经不吃": "avoids", "已經不吃": "avoids",
}  # fmt: skip
_TASTES = "|".join(sorted(_TASTE, key=len, reverse=True))

LANGUAGE = Language(
    code="zh",
    hint=r"\A(?=[^ぁ-ゖァ-ヺ]*\Z)[^一-鿿]*[一-鿿]",
    spaced=False,
    joins_words=True,
    cuts=rf"[，,]\s*(?:但是?|所以|因为|因為|而且|而|也|并且|並且|不过|不過|还有|還有)?(?=(?:现在|現在)?我|请|請|不要|别|別|叫我|他|她|现在|現在|{_ASKING}|{_ALWAYS})|(?<=[^，,])(?:因为|因為|所以|但是)(?=我)|\s+(?=我|请)|[（(]|——+",
    openers=r"^(?:(?:你好|您好|嗨|好的|好|嗯|哦|对了|對了|其实|其實|因为|因為|顺便说一下|順便說一下|顺便说|另外|不(?=[，,！!])|不是(?=[，,！!])|不对|不對|是的|抱歉|对不起|對不起|请注意|請注意|注意|更正|补充一下|一般来说|一般來說|说实话|說實話|请|請|麻烦|麻煩|谢谢|謝謝)[，,：:！! ]*)",
    closers=r"(?:[\s，,。.!！~～]*(?:谢谢|謝謝|哦|啊|呀|啦|呢|哈|喔|拜托|对吧？|的啦)|[^\w\s\"')\]%+#\x00]+)+$",
    unreal=r"如果|要是|假如|假设|假設|假装|也许|也許|可能|或许|或許|大概|好像|似乎|差点|差點|几乎|幾乎|应该是|應該是|想象|想像|希望|但愿|但願|觉得自己|覺得自己|以为|以為|好想|想要|吗|嗎|是不是|是否|会不会|會不會|即使|万一|萬一|昨天|将来|將來|不确定|不確定|说我|說我",
    reported=r"(?:[他她它]们?|[他她它]們?|妈妈|媽媽|爸爸|朋友|老板|老闆|老师|老師|医生|醫生|同事|[^我，,]{1,8})(?:说|說|问|問|认为|認為|觉得|覺得|告诉我|告訴我|写道|寫道|表示|喊)[：:，,]?\s*$|^(?:如果|要是|假如|假设|假設|当我|當我)|歌[里裡]|台词|台詞|标题|標題",
    asks=_ASKING,
    things=r"[你您他她它我]|们|們|这|這|那|什么|什麼|怎么|怎麼|哪|谁|誰|自己|时候|時候|一下|别人|別人|大家|东西|東西|事情|因为|因為|所以|但是|如果|不是|没有|沒有|[吗嗎吧呢了]$|觉得|覺得|感觉|感覺|正在|今天|明天|昨天|现在|現在|的人|的是|一切|全部|^不|^很|^被|^在|^去|^要|^会|^會|星期一|^人$|^说|^說|^的",
    articles=r"^(?:一[个個只隻条條位名匹些点點]|吃|喝|所有|任何|一点|一點|流利的?|点|點)",
    joints=r"\s*(?:、|(?<=.)和(?=.)|跟|与|與|及|以及|还有|還有|或者?|,|，|&)\s*",
    filler=rf"{_NEVER}|{_ALWAYS}|请|請|不要|别|別|我|再|了|的|给|給|永远|永遠|以后|以後|从现在起|從現在起|都|要",
    momentary=r"[这這那]|今天|现在|現在|这次|這次|刚才|剛才|明天|暂时|暫時|先|它|[他她]|一下|了$",
    chosen=r"^(?:那个|那個|这个|這個|那|就)|(?:的那个|的那個|的那款|的|吧|好了|了)+$",
    particular=r"[我\d]|[A-Za-z]|叫|在|是",
    contractions=((r"(?<=[一-鿿，]) +| +(?=[一-鿿，])", ""), (r"^(?:本人|俺|咱)(?=[一-鿿])", "我")),
    takes_back=r"^(?:不|或|和|吗|嗎)|说|說|如果|以前|玩笑|才怪",
    conditions=r"(?:请|請)?(?:你)?(?:记住|記住|记得|記得|别忘了|別忘了)$|(?:当|當|在|如果|每次|写|寫|订|訂|回答)",
    corrects=r"不是?[，,。！!]|不对|不對|错了|錯了|更正|抱歉|其实|其實|应该|應該|我的意思|我是说|我是說",
    leaning=r"(?:不是?|不对|不對|错了|錯了|更正|抱歉|等等)?[，,。！! ]*(?:其实|其實|应该|應該|我的意思|我是说|我是說)?(?:是|应该是|應該是|我是说|我是說)(?P<new>[^，,不]{1,16}?)(?:[，,]?不是.{1,16}|才对|才對|啦|哦|了)?",
    lexicon={
        "diet": meanings("素食者|素食主义者|素食主義者|吃素的|素食|素|吃素=vegetarian; 纯素食者|純素食者|纯素主义者|純素主義者|纯素|純素|全素|严格素食者|嚴格素食者|维根=vegan; 鱼素者|魚素者=pescatarian; 清真=halal; 无麸质|無麩質=gluten-free"),
        "country": meanings("中国|中國=China; 台湾|台灣=Taiwan; 香港=Hong Kong; 澳门|澳門=Macau; 日本=Japan; 韩国|韓國=South Korea; 新加坡=Singapore; 马来西亚|馬來西亞=Malaysia; 美国|美國=United States; 加拿大=Canada; 英国|英國=United Kingdom; 德国|德國=Germany; 法国|法國=France; 西班牙=Spain; 意大利|義大利=Italy; 葡萄牙=Portugal; 荷兰|荷蘭=Netherlands; 瑞士=Switzerland; 奥地利|奧地利=Austria; 澳大利亚|澳洲|澳大利亞=Australia; 新西兰|紐西蘭|新西蘭=New Zealand; 泰国|泰國=Thailand; 越南=Vietnam; 印度=India; 俄罗斯|俄羅斯=Russia; 瑞典=Sweden"),
        "language": meanings("中文|汉语|漢語|华语|華語=Chinese; 普通话|普通話|国语|國語=Mandarin; 粤语|粵語|广东话|廣東話=Cantonese; 英语|英語|英文=English; 日语|日語|日文=Japanese; 韩语|韓語|韩文|韓文=Korean; 德语|德語|德文=German; 法语|法語|法文=French; 西班牙语|西班牙語|西班牙文=Spanish; 葡萄牙语|葡萄牙語=Portuguese; 意大利语|義大利語|意大利語=Italian; 俄语|俄語|俄文=Russian; 阿拉伯语|阿拉伯語=Arabic; 泰语|泰語=Thai; 越南语|越南語=Vietnamese; 台语|台語|闽南语|閩南語=Taiwanese"),
        "nation": meanings("中国人|中國人=Chinese; 台湾人|台灣人=Taiwanese; 日本人=Japanese; 韩国人|韓國人=Korean; 美国人|美國人=American; 英国人|英國人=British; 德国人|德國人=German; 法国人|法國人=French; 西班牙人=Spanish; 意大利人|義大利人=Italian; 加拿大人=Canadian; 澳大利亚人|澳洲人=Australian; 新加坡人=Singaporean; 马来西亚人|馬來西亞人=Malaysian; 俄罗斯人|俄羅斯人=Russian; 印度人=Indian; 越南人=Vietnamese; 泰国人|泰國人=Thai; 香港人=Hongkonger"),
        "job": same("护士|護士|医生|醫生|工程师|工程師|老师|老師|教师|教師|程序员|程序員|程式設計師|开发者|開發者|设计师|設計師|律师|律師|会计|會計|厨师|廚師|记者|記者|警察|学生|學生|大学生|大學生|研究生|教授|研究员|研究員|科学家|科學家|经理|經理|销售|顾问|顧問|翻译员|譯者|作家|编辑|編輯|摄影师|攝影師|音乐家|音樂家|演员|演員|画家|畫家|艺术家|藝術家|司机|司機|飞行员|飛行員|农民|農民|药剂师|藥劑師|牙医|牙醫|兽医|獸醫|心理学家|心理師|咨询师|諮商師|建筑师|建築師|电工|電工|木匠|理发师|理髮師|服务员|服務員|消防员|消防員|公务员|公務員|退休人员|产品经理|產品經理|分析师|分析師|自由职业者|自由工作者|店员|店員|秘书|秘書|教练|教練"),
        "kin": meanings("妈妈|媽媽|母亲|母親=mother; 爸爸|父亲|父親=father; 哥哥|弟弟|兄弟=brother; 姐姐|妹妹|姐妹|姊妹=sister; 儿子|兒子=son; 女儿|女兒=daughter; 孩子|小孩=children; 双胞胎|雙胞胎=twins; 老公|丈夫|先生=husband; 老婆|妻子|太太=wife; 男朋友|男友=boyfriend; 女朋友|女友=girlfriend; 奶奶|外婆|姥姥=grandmother; 爷爷|爺爺|外公|姥爷=grandfather"),
        "animal": meanings("狗|小狗|狗狗=dog; 猫|貓|小猫|小貓|猫咪|貓咪=cat; 兔子=rabbit; 仓鼠|倉鼠=hamster; 鹦鹉|鸚鵡=parrot; 马|馬=horse; 鱼|魚|金鱼|金魚=fish; 乌龟|烏龜=turtle; 蛇=snake; 鸟|鳥=bird"),
        "health": meanings("糖尿病|糖尿病患者=diabetes; 哮喘|气喘|氣喘=asthma; 高血压|高血壓=high blood pressure; 癫痫|癲癇=epilepsy; 偏头痛|偏頭痛=migraines; 抑郁症|憂鬱症=depression; 焦虑症|焦慮症=anxiety; 色盲=color-blind; 乳糜泻|乳糜瀉=celiac disease; 湿疹|濕疹=eczema; 花粉症=hay fever; 痛风|痛風=gout"),
        "belief": meanings("基督徒=Christian; 天主教徒=Catholic; 佛教徒=Buddhist; 穆斯林=Muslim; 无神论者|無神論者=atheist; 道教徒=Taoist"),
        "attribute": meanings('鞋码|鞋碼=notes.shoe-size; 身高=health.height; 体重|體重=health.weight; 血型=health.blood-type; 星座=notes.star-sign; 预算|預算=finances.budget; 编辑器|編輯器=choices.editor; 浏览器|瀏覽器=choices.browser; 专业|專業=notes.major; 爱好|愛好=notes.hobby'),
        "habit": meanings("烟|煙|抽烟|抽煙|吸烟|吸煙=smoking; 酒|喝酒=drinking"),
        "status": meanings("已婚|结婚|結婚=married; 单身|單身|未婚=single; 离婚|離婚=divorced"),
        "manner": meanings("短一点|短一點|简短一点|簡短一點|简短些|更简短|更簡短|简洁一点|簡潔一點=short answers; 详细一点|詳細一點|更详细|更詳細|详细些=detailed answers; 简单一点|簡單一點|通俗一点=simple words; 用列表|列成清单|列成清單=lists; 用表格=tables; 一步一步来|一步一步來=step by step; 正式一点|正式一點=formal tone; 不要表情符号|不要表情符號=no emojis; 只要代码=code only"),
        "not-allergen": same("星期一|工作|上班|人类|人類|傻瓜|学习|學習|考试|考試|运动|運動"),
        "not-name": same("外卖|外賣|一声|一聲|车|車|滴滴|救护车|救護車|快递|快遞|出租车|计程车|計程車|起床|吃饭|吃飯|名字|警察"),
        "not-place": same("谢谢|謝謝|真的|假的|好的|对的|對的|没事|沒事|可以|错的|錯的|家|家里|家裡|酒店|宿舍|学校|學校|公司|医院|醫院|这里|這裡|那里|那裡|附近|乡下|鄉下|城里|城裡|外面|楼上|樓上|公寓|农村|農村|郊区|郊區"),
    },
    frames=(
        Frame(r"我(?:已经|已經)?不再是(?P<rest>.+?)了?$", r"我是\g<rest>", Action.END),
        Frame(r"我(?:已经|已經)不是(?P<rest>.+?)了?$", r"我是\g<rest>", Action.END),
        Frame(r"我不是(?P<rest>.+?)了?$", r"我是\g<rest>", Action.END),
        Frame(r"我(?:已经|已經|现在|現在)?(?:不再|不)住在(?P<rest>.+?)了?$", r"我住在\g<rest>", Action.END),
        Frame(r"我(?:已经|已經|现在|現在)?(?:不再|不)在(?P<rest>.+?)(?P<verb>工作|上班)了?$", r"我在\g<rest>\g<verb>", Action.END),
        Frame(r"(?:我以前|以前我|我之前|我曾经|我曾經|我过去|我過去)住在(?P<rest>.+?)$", r"我住在\g<rest>", Action.END),
        Frame(r"(?:我以前|以前我|我之前|我曾经|我曾經|我过去|我過去)在(?P<rest>.+?)(?P<verb>工作|上班)(?:过|過)?$", r"我在\g<rest>\g<verb>", Action.END),
        Frame(r"(?:我以前|以前我|我之前|我曾经|我曾經|我过去|我過去)是(?P<rest>.+?)$", r"我是\g<rest>", Action.END),
        Frame(r"我不(?:再|会|會)(?P<verb>[说說讲講])(?P<rest>.+?)了?$", r"我会\g<verb>\g<rest>", Action.END),
        Frame(r"我(?:已经|已經)?不(?:再)?用(?P<rest>[A-Za-z][\w .+#-]{1,20}?)了?$", r"我用\g<rest>", Action.END),
        Frame(r"我(?:平时|平時|一般|通常)(?=喜欢|喜歡|爱|愛)", "我"),
        Frame(r"我不(?:再)?[对對](?P<rest>.+?)(?P<verb>过敏|過敏)了?$", r"我对\g<rest>过敏", Action.END),
        Frame(r"我(?:现在|現在|目前|其实|其實|真的|一直|已经|已經|也|非常|严重|嚴重|特别|特別|都)(?=[住在是对對吃有会會叫爱愛])", "我"),
        Frame(r"(?:现在|現在|目前|其实|其實)我", "我"),
        Frame(r"(?:现在|現在|目前)(?=住在|在|用)", "我"),
        Frame(r"(?=(?:[对對].+过敏|[对對].+過敏|住在))", "我"),
    ),
    forms=(
        Form(rf"(?:从现在起|從現在起|从现在开始|從現在開始|今后|今後|以后|以後)[，,]?(?P<words>(?:请|請|都|不要|别|別|用|{_ALWAYS}|{_NEVER}).+)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>{_NEVER}(?!放弃|放棄|忘记|忘記|忘了|停|离开|離開|后悔|後悔).{{2,60}}?)了?", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:请|請)?{_ALWAYS}(?:请|請)?{_DO}.{{1,60}})", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:请|請)?(?:不要|别|別)(?:给我|給我|跟我|对我|對我|再)?{_DO}.{{1,60}})", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?:请|請)?(?:你)?(?:记住|記住|记得|記得|别忘了|別忘了|不要忘记|不要忘記|请记下|記下|记下)[：:，, ]*(?P<note>我.{2,80})", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(r"(?:请|請)?(?:记住|記住|别忘了|別忘了|请记下|記下|记下)[：:，, ]*(?P<note>.{4,80})", "notes.*", None, 0.92, noted=True),
        Form(r"(?:我叫(?:做)?(?!了|他|她|你|个|個)|我的名字(?:是|叫)|我名叫)(?P<name>.{1,12})", "name", None, 0.97),
        Form(r"(?:请|請)?(?:你可以|可以|就|大家都|朋友都|朋友们都)?(?:叫我|称呼我为?|稱呼我為?)(?!怎|去|来|來|做|别|別|不|起|吃|过|過|帮|幫|明|等|给|給|先)(?P<called>.{1,8}?)(?:就好|就行|就可以了?|吧)?", "nickname", None, 0.95),
        Form(r"我的生日是(?P<date>.*\d.*[日号號]?)", "birthday", None, 0.95),
        Form(r"我(?:今年)?(?P<number>\d+)[岁歲]了?", "age", None, 0.95),
        Form(r"我的(?:邮箱|郵箱|电子邮件|電子郵件|email)是(?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "email", None, 0.95),
        Form(r"我是(?P<nation>.+)", "nationality", None, 0.9),
        Form(r"我(?:会|會|能)?[说說讲講](?:流利的)?(?P<language>.+)", "languages.*", None, 0.92),
        Form(r"我的母[语語]是(?P<language>.+)", "languages.*", None, 0.95),
        Form(r"我(?:居)?住在(?P<place>.{1,12}?)", "home.city", None, 0.93),
        Form(r"我家(?:住)?在(?P<place>.{1,12}?)", "home.city", None, 0.88),
        Form(r"我(?:已经|已經|刚|剛|刚刚|剛剛|最近|去年|上个月|上個月)*(?:从.{1,8}|從.{1,8})?搬(?:家)?(?:到|去)了?(?P<place>.{1,12}?)了?", "home.city", None, 0.92),
        Form(r"我在(?P<org>.{1,16}?)(?:工作|上班|任职|任職)", "work.employer", None, 0.92),
        Form(r"我在(?P<org>.{1,16}?)(?:当|當|做|担任|擔任)(?P<job>.{2,10})", "work.employer work.role", None, 0.9),
        Form(r"我是(?P<job>.{2,12})", "work.role", None, 0.9),
        Form(r"我的(?:职业|職業|工作)是(?P<job>.{2,12})", "work.role", None, 0.93),
        Form(r"我(?:已经|已經)?(?:辞职|辭職|离职|離職|失业|失業)了?", "work.employer", None, 0.9, action=Action.END),
        Form(r"我(?:已经|已經)?退休了", "work.role", "retired", 0.9),
        Form(r"我(?:是(?:一[个個名位])?|只?吃|改吃)(?P<diet>.+?)(?:的|了)?", "diet", None, 0.94),
        Form(r"我[对對](?P<allergens>.{1,30}?)(?:有点|有點|有些|严重|嚴重)?(?:过敏|過敏|不耐受)", "allergies.*", None, 0.97),
        Form(r"我(?P<allergens>花生|海鲜|海鮮|牛奶|鸡蛋|雞蛋|坚果|堅果|花粉|虾|蝦|乳糖|麸质|青霉素|芒果|大豆)(?:过敏|過敏|不耐受?症?)", "allergies.*", None, 0.95),
        Form(r"我有(?:严重的?|嚴重的?)?(?P<allergens>.{1,10})(?:过敏症?|過敏症?)", "allergies.*", None, 0.95),
        Form(r"我(?:现在|現在)?用(?P<tool>[A-Za-z][\w .+#-]{1,20})", "tools.*", None, 0.85),
        Form(r"我(?:是|有|患有|得了)(?P<health>.+?)", "health.*", None, 0.92),
        Form(r"我是(?P<belief>.+)", "beliefs.*", None, 0.9),
        Form(rf"我的?{_KIN}(?:叫|的名字是|的名字叫|名叫)(?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(r"我有(?P<kin>.+)", "family.*", None, 0.9),
        Form(rf"我的?(?:小)?{_ANIMAL}(?:叫|的名字是|的名字叫|名叫)(?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(rf"我(?:有|养了?|養了?)(?:一[只隻条條匹])?(?:小)?{_ANIMAL}[，,]?(?:叫|名叫)(?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(r"我(?:家?有|养了?|養了?)(?P<animal>.+)", "pets.*", None, 0.88),
        Form(r"我的(?P<attribute>.{1,4})是(?P<fact>.{1,20})", "{attribute}", None, 0.88),
        Form(r"我最(?:喜欢|喜歡|爱|愛)的(?P<topic>.{1,6})是(?P<thing>.{1,16})", "choices.{topic}", None, 0.9),
        Form(r"比起.{1,10}[，,]?我更(?:喜欢|喜歡)(?P<things>.{1,24})", "preferences.*", "prefers", 0.92),
        Form(rf"我(?:真的|也|还是|還是|已经|已經)?(?P<verb>{_TASTES})(?P<things>.{{1,24}}?)了?", "preferences.*", _TASTE, 0.9),
        Form(r"我(?:已经|已經)?(?:从|從)(?P<old>.{1,16}?)(?:换成|換成|改成|改用|转用|轉用|换到|換到|切换到|切換到)了?(?P<new>.{1,16}?)了?", "preferences.*", "prefers", 0.9),
        Form(r"我(?P<old>(?!.))?(?:已经|已經|现在|現在)?(?:换成|換成|改用|转用|轉用)了?(?P<new>.{1,16}?)了?", "preferences.*", "prefers", 0.88),
        Form(r"我(?:已经|已經)?戒(?P<habit>[烟煙酒])了?", "routines.*", "quit", 0.9),
        Form(r"我(?:从)?不(?P<habit>[抽吸][烟煙])", "routines.*", "no", 0.88),
        Form(r"我(?:是|已经|已經)?(?P<status>.{2})了?", "family.status", None, 0.9),
        Form(r"(?P<words>我(?:总是|總是|从来不|從來不|从不|從不|每天都?|一直都?)(?:吃|喝|坐|用|点|點|买|買|穿|骑|騎|跑步|锻炼|鍛煉|睡).{1,30})", "routines.*", "=", 0.88),
        Form(r"(?:就|我要|我选|我選|还是|還是)(?:选|選|要|点|點)?(?P<choice>.{1,12}?(?:的那个|的那個|的|吧))", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:请|請)?(?:再)?(?P<manner>.{2,8}?)(?:，?谢谢|，?謝謝|吧|，?拜托)?", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:请|請)用(?P<language>.{2,5}?)(?:回答|说|說|写|寫|回复)?(?:我)?(?:，?谢谢|吧)?", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
