"""What the agent does next, in several languages, and what only looks like it."""

from __future__ import annotations

import pytest

from compact_keeper.recap.lines.announcements import is_announcement, says_that_it_is_mended
from slow_texts import check_it_ends, ending


def test_hostile_sentences_take_no_long_time() -> None:
    check_it_ends(is_announcement)
    check_it_ends(says_that_it_is_mended)
    with ending():
        for fill in ("before i, ", "for now, ", "now now ", "**a** - ", "现在", "好的,", "You're right, ", "sorry "):
            is_announcement(fill * (20_000 // len(fill)))


@pytest.mark.parametrize("sentence", [
    "Let me read the loader.", "Now let me read it.", "For now, let me mend the loader.", "Alright, I'll start.",
    "Before I draw the plan, I need to understand the zones.", "Sure, let's sort by size.",
    "Writing updated notes.", "Committing the zones.", "**Phase 5: Notes** - Writing updated notes.",
    "Starting with the loader of zones.", "Continuing to the next zone.",
    "Now patch the zones' loader and its caller.", "Now patch the loader and add a getter.", "Next sort them by size.",
    "You're right, I should have put it into `zones.py` at once.", "Sorry about the noise in `zones.py`.",
    "My apologies for the wrong zone.", "I'm sorry, that was the wrong file.",
    "Ich werde die Zonen sortieren.", "Jetzt schaue ich mir den Lader an.", "Lass mich die Zonen lesen.",
    "Je vais maintenant créer les zones.", "D'abord, voyons le chargeur.", "Laissez-moi lire le fichier.",
    "Sekarang tambah aksi untuk zona.", "Saya akan urutkan zona.", "Baca file zona dulu.",
    "Voy a ordenar las zonas.", "Ahora vamos a leer el cargador.", "Agora vou ordenar as zonas.", "Deixe-me ver.",
    "Ora procedo con le zone.", "Laat me de zones lezen.", "Теперь давайте проверим зоны.", "Сначала я проверю зоны.",
    "Let me check if the loader needs a zone.", "Let me read what must go.", "Testons le chargeur.",
    "Let me look in zones.py at what the loader needs.",
    "Now I see the real issue.", "Now I can see both bugs clearly.", "Now I have full context.", "Found another issue!",
    "让我先看看加载器。", "好的,现在让我读取区域。", "现在修复加载器。", "接下来检查区域。", "讓我建立計畫。",
    "我来修改它。", "まず、ファイルを確認します。", "スクリプトを直しましょう。", "스크립트를 수정하겠습니다.",
    "好问题，让我读取区域。", "现在启动两个测试：", "区域を確認します。", "`zones.py` から読み込みを削除します。",
    "区域の参照がないか確認します。", "並列で処理させます。", "確認を行います。", "구역을 확인해볼게요!",
    "`zones.py`를 수정합니다.", "로더를 찾아봅니다.", "了解しました。",
])
def test_announcement(sentence: str) -> None:
    assert is_announcement(sentence)


@pytest.mark.parametrize("sentence", [
    "", "**", "Now.", "The loader sorts by size.", "Training continues on zone 7.",
    "I'll keep the old loader because the zones need it.", "From now on I'll name the zone first.",
    "Let me take it back, since the zones moved.", "**All four pass.** Let me mend the loader.",
    "Let me keep it, as the loader needs a zone.", "Let me check if it fits, because the zones moved.",
    "I will keep v1 of the loader, which must stay until March 2027.", "I need to keep `v1`, which the loader needs.",
    "I'll leave the trigger in place, which needs the lock on zones.", "Let me check it because what it is must stay.",
    "Let me keep the old column for now; where it is read the loader must not drop it.",
    "Let me read the loader, which must stay.", "I'll keep the loader where the zones must be.",
    "Now I see the issue: the loader sorts by size.", "I see the zone fails.", "Found the issue in `zones.py`.",
    "I have found a bug in the loader.", "Now all the zones pass.",
    "Now the loader is sorted.", "Now when the loader starts it reads zones.",
    "Now it fails with two zones.", "Updating every 330 ms.", "Running the tests fails.",
    "Writing zones takes an hour.", "You're right, the loader sorts by size.", "Sorry state: the loader hangs.",
    "Ich werde künftig die Zone nennen.", "Ich lese, dass der Lader hängt, weil die Zone fehlt.",
    "Zona sudah diurutkan.", "Saya akan simpan yang lama karena masih jalan.", "Semua zona selesai.",
    "Die Zonen sind sortiert.", "Je vais garder l'ancien car il marche.", "Le chargeur trie les zones.",
    "Vamos esperar, mas o carregador trava.", "O carregador ordena por tamanho.", "Зоны отсортированы.",
    "现在所有测试都通过了。", "让我保留它,因为区域需要。", "我看到加载器按大小排序。", "読み込みは大きさの順です。",
    "로더는 크기순으로 정렬합니다.", "앞으로 구역을 먼저 말하겠습니다.",
    "`zones.py` は起動のたびに区域を削除します。", "保存すると、区域を更新します。", "区域は自動で更新します。",
    "- 区域を削除します。", "起動時に区域を削除します。", "読み込みが区域を確認します。",
    "テスト成功。 lint も確認します。", "ロックがあるから、残して対応します。", "구역 로더가 파일을 수정합니다.",
    "저장하면 구역을 수정합니다.", "1. 구역을 수정합니다.", "빌드가 성공했습니다. lint를 확인할게요.",
])
def test_no_announcement(sentence: str) -> None:
    assert not is_announcement(sentence)


@pytest.mark.parametrize(("sentence", "is_mended"), [
    ("Let me fix that too.", True), ("让我修复它。", True), ("Ich werde das beheben.", True), ("수정하겠습니다.", True),
    ("Je vais corriger le chargeur.", True), ("Let me read it.", False), ("让我看看。", False),
    ("Der Fehler ist behoben.", False), ("", False)])
def test_what_is_mended_now(sentence: str, is_mended: bool) -> None:
    assert says_that_it_is_mended(sentence) == is_mended
