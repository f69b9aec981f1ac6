"""A small knowledge base for the tests of linking."""

import pytest

from tercet.knowledge.building import NameRecord, build

NAMES = """
Q1 place 200 en=Russia de=Russland ru=Россия cs=Rusko gu=રશિયા zh=俄罗斯 kk=Ресей
Q2 place 30 en=Paris de=Paris ru=Париж cs=Paříž zh=巴黎 gu=પેરિસ
Q3 place 2 en=Paris
Q4 place 200 en=United_States|US|USA de=Vereinigte_Staaten|USA cs=Spojené_státy ru=США zh=美国
Q5 organisation 90 en=WHO|World_Health_Organization de=WHO ru=ВОЗ zh=世界卫生组织
Q6 concept 5 en=bank de=Bank ru=банк zh=银行
Q7 concept 3 en=bank de=Ufer
Q8 concept 2 en=power de=Macht
Q9 time 40 en=May de=Mai ru=май
Q10 person 20 en=Paris_Hilton
Q11 organisation 60 en=World_Bank de=Weltbank
Q12 person 4 en=Bank
Q13 place 40 en=Germany de=Deutschland ru=Германия gu=જર્મની
Q14 concept 1 en=person zh=人
"""


def _records():
    for line in NAMES.strip().split("\n"):
        entity, category, weight, *fields = line.split()
        for field in fields:
            language, _, names = field.partition("=")
            for name in names.split("|"):
                yield NameRecord(entity, language, name.replace("_", " "), category, float(weight))


@pytest.fixture(scope="session")
def small_kb(tmp_path_factory):
    """Entities Q1 to Q14 in seven languages."""
    out = tmp_path_factory.mktemp("kb") / "small"
    languages = ["cs", "de", "en", "gu", "kk", "ru", "zh"]
    return build(_records(), out, name="small", languages=languages, min_languages=1, lemmas=False)
