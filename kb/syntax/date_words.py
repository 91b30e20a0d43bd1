"""The English words of dates, in lower case: months, weekdays, numbers, and which one is meant. Tables only."""

MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS = {
    **{name: number for number, name in enumerate(MONTH_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(MONTH_NAMES, 1)},
    "sept": 9,
}
WEEKDAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS = {
    **{name: number for number, name in enumerate(WEEKDAY_NAMES)},
    **{name[:3]: number for number, name in enumerate(WEEKDAY_NAMES)},
    **{"tues": 1, "thur": 3, "thurs": 3},
}
COUNTS = {
    word: number
    for number, word in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        1,
    )
} | {"a": 1, "an": 1}
ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
WHICH = {
    **dict.fromkeys(("this", "current", "the current"), 0),
    **dict.fromkeys(("last", "previous", "the last", "the previous"), -1),
    **dict.fromkeys(("next", "coming", "the next", "the coming"), 1),
}
