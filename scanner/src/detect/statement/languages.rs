//! The same few sentences in each language, as somebody would type them.

use super::StatementKind;
use super::sentence::sentences;
use super::tests::{kind_of, statement};

/// The same few things in the languages of the table: to remember, from now on, never, not this but that, stop it.
const LANGUAGES: [(&str, [&str; 5]); 17] = [
    (
        "en",
        [
            "remember to close the socket before the test ends",
            "from now on squash before you merge",
            "never push to the release branch",
            "use pnpm instead of npm",
            "stop adding emojis to the log messages",
        ],
    ),
    (
        "es",
        [
            "recuerda que las fechas van en UTC",
            "a partir de ahora usa pnpm en este proyecto",
            "nunca subas cambios directamente a main",
            "usa pnpm en vez de npm",
            "deja de agregar comentarios en cada línea",
        ],
    ),
    (
        "pt",
        [
            "lembre-se de rodar as migrações antes do deploy",
            "de agora em diante escreva os commits em inglês",
            "nunca mais apague os dados de teste",
            "use pnpm em vez de npm",
            "pare de criar arquivos de documentação",
        ],
    ),
    (
        "fr",
        [
            "n'oublie pas de lancer les tests avant de pousser",
            "désormais, écris les messages de commit en anglais",
            "n'utilise jamais le compte de production",
            "utilise pnpm au lieu de npm",
            "arrête de modifier les fichiers générés",
        ],
    ),
    (
        "de",
        [
            "merk dir, dass die Zeiten in UTC stehen",
            "ab sofort bitte jede Änderung im Changelog eintragen",
            "niemals direkt auf main pushen",
            "nimm pnpm statt npm",
            "hör auf, die Tests zu überspringen",
        ],
    ),
    (
        "ru",
        [
            "запомни: тесты только в контейнере",
            "впредь пиши сообщения коммитов на английском",
            "никогда не трогай продакшен базу",
            "используй pnpm вместо npm",
            "перестань добавлять комментарии в каждую строку",
        ],
    ),
    (
        "zh",
        [
            "记住，数据库密码放在环境变量里",
            "从现在开始用中文回复我",
            "永远不要直接推送到主分支",
            "用 pnpm 而不是 npm",
            "不要再自动创建文档文件",
        ],
    ),
    (
        "zh-Hant",
        [
            "請記住測試要在容器裡執行",
            "以後都用繁體中文回答",
            "絕對不要刪除備份資料夾",
            "用pnpm不要用npm",
            "別再改動自動產生的檔案",
        ],
    ),
    (
        "ja",
        [
            "テストはコンテナで実行することを覚えておいて",
            "今後はコミットメッセージを英語で書いてください",
            "二度と本番データベースに触らないこと",
            "npmではなくpnpmを使ってください",
            "勝手にファイルを作らないでください",
        ],
    ),
    (
        "ko",
        [
            "테스트는 컨테이너에서 돌린다는 걸 기억해 줘",
            "앞으로는 한국어로 대답해 줘",
            "절대 운영 데이터베이스를 건드리지 마",
            "npm 대신 pnpm을 써 줘",
            "자동 생성된 파일은 수정하지 마",
        ],
    ),
    (
        "it",
        [
            "ricordati di chiudere la connessione alla fine",
            "d'ora in poi scrivi i commit in inglese",
            "mai scrivere sul database di produzione",
            "usa pnpm invece di npm",
            "smetti di aggiungere commenti ovunque",
        ],
    ),
    (
        "vi",
        [
            "hãy nhớ chạy kiểm thử trong container",
            "từ nay trả lời tôi bằng tiếng Việt",
            "đừng bao giờ xóa dữ liệu sao lưu",
            "dùng pnpm thay vì npm",
            "đừng tự tạo thêm tài liệu",
        ],
    ),
    (
        "nl",
        [
            "onthoud dat de tests een draaiende database nodig hebben",
            "geef me vanaf nu kortere antwoorden",
            "nooit rechtstreeks naar main pushen",
            "gebruik pnpm in plaats van npm",
            "stop met commentaar bij elke regel",
        ],
    ),
    (
        "pl",
        [
            "zapamiętaj, że testy odpalamy w kontenerze",
            "od teraz odpowiadaj po polsku",
            "nigdy nie commituj plików z hasłami",
            "używaj pnpm zamiast npm",
            "nie dodawaj komentarzy do każdej linijki",
        ],
    ),
    (
        "uk",
        [
            "запам'ятай, що тести запускаємо в контейнері",
            "відтепер відповідай українською",
            "ніколи не чіпай продакшн базу",
            "використовуй pnpm замість npm",
            "не додавай коментарі до кожного рядка",
        ],
    ),
    (
        "tr",
        [
            "unutma, testler konteynerde çalışıyor",
            "bundan böyle bana Türkçe cevap ver",
            "canlı veritabanına asla dokunma",
            "npm yerine pnpm kullan",
            "her satıra yorum eklemeyin",
        ],
    ),
    (
        "id",
        [
            "ingat tes harus jalan di dalam kontainer",
            "mulai sekarang jawab dalam bahasa Indonesia",
            "jangan pernah push langsung ke main",
            "pakai pnpm bukan npm",
            "jangan tambah komentar di setiap baris",
        ],
    ),
];

#[test]
fn the_same_few_things_are_understood_in_every_language() {
    for (language, [remember, onward, never, replace, stop]) in LANGUAGES {
        assert_eq!(kind_of(remember), Some(StatementKind::Remembered), "{language}: {remember}");
        assert_eq!(kind_of(onward), Some(StatementKind::Remembered), "{language}: {onward}");
        let never_kind = kind_of(never);
        assert!(
            matches!(never_kind, Some(StatementKind::Lasting | StatementKind::Prohibition)),
            "{language}: {never} {never_kind:?}"
        );
        assert_eq!(kind_of(replace), Some(StatementKind::Replacement), "{language}: {replace}");
        assert_eq!(kind_of(stop), Some(StatementKind::Prohibition), "{language}: {stop}");
        let found = statement(sentences(replace)).unwrap();
        assert_eq!(found.unwanted, ["npm"], "{language}: {replace}");
        assert!(found.wanted.contains(&"pnpm".to_owned()), "{language}: {:?}", found.wanted);
    }
}
