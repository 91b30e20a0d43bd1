"""The words of synthetic knowledge bases, and how names and sentences are composed of them. All are invented.

Names come as a pair: how they are written, and how they are read in Latin letters, for the id.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def _read_lists(path: Path) -> dict[str, list[str]]:
    """Read lists of words, each under its name in brackets."""
    lists: dict[str, list[str]] = {}
    for part in path.read_text(encoding="utf-8").split("[")[1:]:
        name, _, listed = part.partition("]")
        lists[name] = listed.split()
    return lists


_LISTS = _read_lists(Path(__file__).with_name("words.txt"))

GIVEN = _LISTS["GIVEN"]
SURNAME_STARTS = _LISTS["SURNAME_STARTS"]
SURNAME_ENDS = _LISTS["SURNAME_ENDS"]

#: Surnames and given names as written, and as read.
JAPANESE_SURNAMES = (
    ("佐藤", "Sato"), ("鈴木", "Suzuki"), ("高橋", "Takahashi"), ("田中", "Tanaka"), ("伊藤", "Ito"),
    ("渡辺", "Watanabe"), ("山本", "Yamamoto"), ("中村", "Nakamura"), ("小林", "Kobayashi"), ("加藤", "Kato"),
    ("吉田", "Yoshida"), ("山田", "Yamada"), ("松本", "Matsumoto"), ("井上", "Inoue"), ("木村", "Kimura"),
    ("清水", "Shimizu"), ("林田", "Hayashida"), ("森本", "Morimoto"), ("石川", "Ishikawa"), ("藤井", "Fujii"),
)  # fmt: skip
JAPANESE_GIVEN = (
    ("恵", "Megumi"), ("健太", "Kenta"), ("さくら", "Sakura"), ("大輔", "Daisuke"), ("由美", "Yumi"),
    ("翔", "Sho"), ("直子", "Naoko"), ("一郎", "Ichiro"), ("美咲", "Misaki"), ("拓也", "Takuya"),
    ("陽子", "Yoko"), ("涼", "Ryo"), ("明日香", "Asuka"), ("誠", "Makoto"), ("千尋", "Chihiro"),
    ("和也", "Kazuya"),
)  # fmt: skip
CHINESE_SURNAMES = (
    ("王", "Wang"), ("李", "Li"), ("张", "Zhang"), ("刘", "Liu"), ("陈", "Chen"), ("杨", "Yang"), ("赵", "Zhao"),
    ("黄", "Huang"), ("周", "Zhou"), ("吴", "Wu"), ("徐", "Xu"), ("孙", "Sun"), ("胡", "Hu"), ("林", "Lin"),
)  # fmt: skip
CHINESE_GIVEN = (
    ("伟", "Wei"), ("芳", "Fang"), ("秀英", "Xiuying"), ("敏", "Min"), ("静", "Jing"), ("强", "Qiang"),
    ("磊", "Lei"), ("洋", "Yang"), ("艳", "Yan"), ("勇", "Yong"), ("杰", "Jie"), ("晓明", "Xiaoming"),
    ("建国", "Jianguo"), ("雪梅", "Xuemei"), ("志远", "Zhiyuan"), ("雨桐", "Yutong"),
)  # fmt: skip
EASTERN_COMPANY_STARTS = (
    ("青葉", "Aoba"), ("北辰", "Hokushin"), ("東雲", "Shinonome"), ("瑞穂野", "Mizuhono"), ("白樺", "Shirakaba"),
    ("远航", "Yuanhang"), ("明德", "Mingde"), ("海山", "Haishan"), ("星河", "Xinghe"), ("云杉", "Yunshan"),
)  # fmt: skip
EASTERN_COMPANY_ENDS = (
    ("電機", "Denki"), ("物流", "Butsuryu"), ("商事", "Shoji"), ("製作所", "Seisakusho"), ("运输", "Yunshu"),
    ("科技", "Keji"), ("能源", "Nengyuan"), ("食品", "Shipin"),
)  # fmt: skip

NAME_STARTS = _LISTS["NAME_STARTS"]
NAME_ENDS = _LISTS["NAME_ENDS"]
COMPANY_KINDS = _LISTS["COMPANY_KINDS"]
WORK_KINDS = _LISTS["WORK_KINDS"]
SYSTEM_KINDS = _LISTS["SYSTEM_KINDS"]
EVENT_KINDS = _LISTS["EVENT_KINDS"]
TEAM_KINDS = _LISTS["TEAM_KINDS"]
TITLES = _LISTS["TITLES"]
LEVELS = ("Junior", "Senior", "Lead", "Principal", "Acting", "Deputy", "Regional", "Chief")
STATUSES = (
    "proposed", "approved", "on hold", "in review", "running", "delayed", "delivered", "handed over", "cancelled"
)  # fmt: skip

STEMS = _LISTS["STEMS"]
STEM_STARTS = (
    "",
    "",
    "re",
    "pre",
    "un",
    "over",
    "sub",
    "inter",
    "co",
    "counter",
    "out",
    "cross",
    "mis",
    "de",
    "under",
)
STEM_ENDS = ("ing", "ed", "er", "ment", "able", "ation", "s", "ings", "ability", "or")
COMMON = _LISTS["COMMON"]

#: Sentences: ``{e}`` an entity's name, ``{n}`` a word, ``{m}`` a month, ``{d}`` a number.
SENTENCES = (
    "{e} asked for the {n} and the {n} before {m}.",
    "We agreed to move the {n} to {m}, since the {n} was not ready.",
    "The {n} went from {d} to {d} after the {n} was replaced.",
    "Nobody could say why the {n} and the {n} differ by {d}.",
    "{e} will send the {n} for the {n} once the {n} is signed.",
    "Please read the {n} again: the {n} says {d}, the {n} says {d}.",
    "In {m} the {n} was handed to {e} together with the {n}.",
    "It was noted that {e} prefers a {n} over a {n}.",
    "There were {d} open points about the {n}, most of them on the {n}.",
    "The old {n} stays in use until the {n} of {e} passes its {n}.",
    "Thank you for the {n}; I have passed the {n} on to {e}.",
    "Next steps: {n}, {n}, and a first look at the {n}.",
    "{e} was surprised by the {n} and wants {d} days more.",
    "Without a {n} we cannot close the {n} that began in {m}.",
)
JAPANESE_SENTENCES = (
    "{e}は来月{n}の{n}を担当します。",
    "{n}については{e}から連絡がありました。",
    "{m}月に{n}と{n}の見直しを行いました。",
    "{e}の{n}は予定より{d}日遅れています。",
)
CHINESE_SENTENCES = (
    "{e}将于下月负责{n}的{n}。",
    "关于{n}，{e}已经回复。",
    "{m}月完成了{n}和{n}的检查。",
    "{e}的{n}比计划晚了{d}天。",
)
EASTERN_WORDS = _LISTS["EASTERN_WORDS"]
MONTHS = _LISTS["MONTHS"]


class Ranked(Sequence[Item]):
    """Items by rank, of which the first are drawn by far the most often: rank ``r`` with weight ``r ** -power``."""

    def __init__(self, items: Sequence[Item], power: float) -> None:
        self._items = items
        self._sums = list(accumulate((rank + 1) ** -power for rank in range(len(items))))

    def draw(self, rng: Random) -> Item:
        """Draw one."""
        return self._items[bisect_left(self._sums, rng.random() * self._sums[-1])]

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)


def make_lexicon(rng: Random, size: int = 12_000) -> Ranked[str]:
    """Compose the words of texts: common ones first, then derived ones in an order of the seed."""
    derived = [
        start + stem + end
        for start in dict.fromkeys(STEM_STARTS)
        for stem in STEMS
        for end in STEM_ENDS
    ]
    rng.shuffle(derived)
    return Ranked([*COMMON, *derived[: size - len(COMMON)]], power=0.9)


class Writer:
    """Writes sentences with words of a lexicon."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._lexicon = make_lexicon(rng)

    def word(self) -> str:
        """Give a word."""
        return self._lexicon.draw(self._rng)

    def sentence(self, names: Sequence[str], forms: Sequence[str] = SENTENCES) -> str:
        """Give a sentence that may speak of one of some entities, by name."""
        rng = self._rng
        is_eastern = forms is not SENTENCES
        pieces = forms[int(rng.random() * len(forms))].split("{")
        made = [pieces[0]]
        for piece in pieces[1:]:
            made.append(self._fill(piece[0], names, is_eastern))
            made.append(piece[2:])
        text = "".join(made)
        return text[0].upper() + text[1:]

    def _fill(self, slot: str, names: Sequence[str], is_eastern: bool) -> str:
        rng = self._rng
        if slot == "e" and names:
            return names[int(rng.random() * len(names))]
        if slot == "m":
            month = int(rng.random() * len(MONTHS))
            return str(month + 1) if is_eastern else MONTHS[month]
        if slot == "d":
            return str(int(rng.random() ** 2 * 400) + 2)
        if is_eastern:
            return EASTERN_WORDS[int(rng.random() * len(EASTERN_WORDS))]
        return self._lexicon.draw(rng)
