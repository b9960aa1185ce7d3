"""Things of a kind of which a person commonly has one: who now prefers the other has left the first.

A thing that is in no line has no known kind, and then only words such as *instead of* tell that it took another's place.
"""

from __future__ import annotations

from .words import fold, stem

__all__ = ["FORBIDDEN", "feeds", "kinds_of"]

_KINDS = """
test-runner: pytest unittest nose nose2 jest mocha vitest jasmine junit testng rspec minitest doctest ava tap
editor: vim neovim nvim emacs nano vscode pycharm intellij sublime atom zed helix notepad eclipse xcode cursor webstorm rider "vs code" "visual studio code" "visual studio" "sublime text"
os: linux ubuntu debian fedora arch nixos windows macos mac osx freebsd mint
shell: bash zsh fish powershell nushell
browser: firefox chrome safari edge brave opera vivaldi chromium
language: python rust go golang java kotlin scala ruby perl php javascript typescript c c++ c# haskell elixir erlang clojure swift julia r lua zig ocaml f#
database: postgres postgresql mysql mariadb sqlite oracle mongodb mongo cassandra dynamodb cockroachdb duckdb redis
package-manager: pip poetry uv conda pipenv npm yarn pnpm bun cargo maven gradle
formatter: black ruff yapf autopep8 prettier
framework: django flask fastapi rails express spring laravel tornado
frontend: reactjs react vue angular svelte solid ember
cloud: aws azure gcp hetzner digitalocean heroku vercel netlify
vcs: git mercurial svn subversion jujutsu
forge: github gitlab bitbucket codeberg gitea
indentation: tabs spaces tabulators
seat: aisle window middle
theme: dark light
units: metric imperial celsius fahrenheit kilometres miles
hot-drink: tea coffee kaffee tee cafe te the 茶 咖啡 お茶 コーヒー 紅茶 cocoa espresso matcha
alcohol: beer wine bier wein cerveza vino biere vin 啤酒 ビール ワイン whisky gin
flight-class: economy business premium
tongue: english french german spanish italian portuguese dutch polish chinese mandarin japanese korean russian turkish arabic deutsch englisch franzosisch spanisch ingles frances aleman espanol anglais allemand espagnol francais 英语 中文 日语 法语 德语 日本語 英語 中国語
milk: "oat milk" "soy milk" "almond milk" "cow milk" hafermilch sojamilch kuhmilch
water: "still water" "sparkling water"
pet-side: cats dogs
transport: train bus car bike bicycle plane tram taxi metro subway underground zug auto fahrrad flugzeug tren coche bici avion velo voiture 地铁 公交 电车 電車 バス 自転車 car motorcycle scooter foot
channel: email phone call calls text sms slack whatsapp telegram signal teams discord letter chat mail telefon
daytime: morning mornings evening evenings afternoon afternoons night noon
season: spring summer autumn winter
meal-place: restaurant home takeaway
housing: flat house apartment houseboat
music-service: spotify tidal deezer "apple music" "youtube music"
notes: notion obsidian evernote onenote joplin logseq roam
phone: 安卓 苹果 iphone android apple pixel samsung
car: volvo tesla toyota bmw audi volkswagen vw ford honda renault peugeot fiat skoda mercedes porsche mazda hyundai kia
agile: scrum kanban xp waterfall
frequency: hourly daily weekly fortnightly monthly quarterly yearly annually taglich wochentlich monatlich diario semanal mensual
level: beginner novice intermediate advanced expert
party: democrat republican conservative liberal socialist
data-format: json xml yaml toml csv protobuf
spelling: british american
workplace: office home remote remotely onsite coworking
fuel: diesel electric petrol gasoline hybrid
shopping: online supermarket market
hotel: hotel airbnb hostel camping
cash: cash card creditcard karte bargeld
book: paperback hardcover ebook ebooks e-books e-book audiobook audiobooks kindle paper
colour: red green blue yellow orange purple violet black white grey gray brown pink turquoise navy teal rot grun blau gelb schwarz weiss rojo verde azul amarillo rouge vert bleu jaune noir blanc 红色 绿色 蓝色 赤 青 緑
meat-doneness: rare medium "well done"
sport-team: arsenal chelsea liverpool barcelona madrid bayern dortmund juventus
style: formal informal casual
length: short long brief detailed concise verbose
llm: claude chatgpt gemini gpt llama mistral
bank: n26 ing revolut monzo
"""

_FOOD = """
meat: meat beef steak pork bacon ham chicken lamb turkey duck burger sausage salami ribs veal kebab barbecue hamburger fleisch steak wurst schinken huhn speck carne pollo jamon cerdo viande poulet jambon boeuf 肉 牛肉 猪肉 鸡肉 鶏肉 ステーキ 牛排 steaks burgers sausages schnitzel schweinefleisch rindfleisch bistec chorizo 焼肉 brisket meatballs
pork: pork bacon ham schinken schweinefleisch speck jamon cerdo jambon porc 猪肉 豚肉
fish: fish salmon tuna sushi cod trout sardines anchovies fisch lachs thunfisch pescado salmon atun poisson saumon thon 鱼 魚 寿司 seafood
shellfish: shrimp shrimps prawns prawn crab lobster oysters mussels clams seafood meeresfruchte mariscos crevettes 虾 エビ
dairy: dairy milk cheese butter yogurt yoghurt cream kase milch queso leche mantequilla fromage lait beurre 奶酪 牛奶 チーズ 牛乳 icecream pizza
egg: egg eggs omelette ei eier huevo huevos oeuf oeufs 鸡蛋 卵
honey: honey honig miel
gluten: bread pasta wheat brot nudeln weizen pan trigo pain pates bagels bagel croissant croissants beer spaghetti
alcohol: alcohol beer wine whisky vodka gin cocktail cocktails bier wein alkohol cerveza vino biere vin alcool 酒 啤酒 ビール お酒 champagne rum drunk
sugar: sugar candy sweets cake chocolate zucker azucar sucre desserts
coffee: coffee espresso espressos latte cappuccino kaffee cafe
nuts: nuts peanuts peanut almonds walnuts hazelnuts nusse nueces noix 花生 坚果
gluten: gluten
caffeine: coffee espresso caffeine kaffee cafe
"""

FORBIDDEN: dict[str, frozenset[str]] = {
    name: frozenset(foods.split())
    for names, foods in {
        "vegan vegane veganer veganerin vegana vegano vegetalien vegetalienne 纯素 ヴィーガン ビーガン plant-based": (
            "meat fish shellfish dairy egg honey"
        ),
        "vegetarian vegetarier vegetarierin vegetariana vegetariano vegetarien vegetarienne vegetarisch 素食 吃素 "
        "ベジタリアン veggie": "meat fish shellfish",
        "pescatarian pescetarian": "meat",
        "halal kosher muslim": "pork",
        "gluten-free coeliac celiac": "gluten",
        "lactose-intolerant dairy-free": "dairy",
        "teetotal teetotaller sober": "alcohol",
        "sugar-free": "sugar",
    }.items()
    for name in names.split()
}
"""What somebody on a diet does not eat, by the words for the diet."""


def _table(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        kind, _, things = line.partition(":")
        parts = things.split('"')
        names = [fold(name) for place, part in enumerate(parts) for name in ([part] if place % 2 else part.split())]
        for name in names:
            found.setdefault(" ".join(stem(word) for word in name.split()), set()).add(kind)
    return found


_KIND_OF = _table(_KINDS)
_FOOD_OF = _table(_FOOD)


def kinds_of(thing: str) -> frozenset[str]:
    """The kinds of *thing*, folded words: its own, or that of its last word (*filter coffee* is coffee)."""
    return _looked_up(_KIND_OF, thing)


def feeds(thing: str) -> frozenset[str]:
    """The groups of food that *thing* belongs to: *steak* is meat."""
    return _looked_up(_FOOD_OF, thing)


def _looked_up(table: dict[str, set[str]], thing: str) -> frozenset[str]:
    words = [stem(word) for word in thing.split()]
    for size in range(min(3, len(words)), 0, -1):
        for start in range(len(words) - size, -1, -1):
            found = table.get(" ".join(words[start : start + size]))
            if found:
                return frozenset(found)
    if not thing.isascii():  # in scripts without spaces, whatever is named in it
        return frozenset(
            kind for name, kinds in table.items() if not name.isascii() and name in thing for kind in kinds
        )
    return frozenset()
