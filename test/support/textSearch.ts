interface SearchCase {
  readonly text: string
  readonly found: ReadonlyArray<string>
  readonly missed: ReadonlyArray<string>
}

export const searchCases: ReadonlyArray<SearchCase> = [
  { text: "release", found: ["Our RELEASE is out", "prereleases"], missed: ["releas", "re lease"] },
  { text: "100%", found: ["at 100%!"], missed: ["100 of 100", "1000"] },
  { text: "a_b", found: ["A_B"], missed: ["axb", "ab"] },
  { text: "c++ (x|y) [z]{2} ^.*?$", found: ["C++ (x|y) [Z]{2} ^.*?$"], missed: ["c (x) z"] },
  { text: String.raw`C:\new`, found: [String.raw`c:\NEW`], missed: ["C:\new"] },
  { text: "two\nlines", found: ["Two\nLines"], missed: ["two"] },
  { text: "café", found: ["CAFÉ", "cafe\u0301s", "CAFE\u0301"], missed: ["cafe", "cafes"] },
  { text: "cafe", found: ["Cafe", "cafes"], missed: ["café", "cafe\u0301"] },
  { text: "ậy", found: ["ẬY", "a\u0323\u0302y", "ạ\u0302y"], missed: ["ây"] },
  { text: "straße", found: ["STRASSE", "Strasse", "STRAẞE", "straße"], missed: ["strase"] },
  { text: "sß", found: ["sß", "SSS", "ßs", "Sẞ"], missed: ["ss", "ß"] },
  { text: "ssss", found: ["ßß", "ssß", "ssss"], missed: ["sß"] },
  { text: "STRASSE", found: ["straße", "Straſſe"], missed: ["straẞ"] },
  { text: "istanbul", found: ["İstanbul", "ISTANBUL", "ıstanbul", "i\u0307stanbul"], missed: ["ïstanbul"] },
  { text: "İSTANBUL", found: ["istanbul", "I\u0307stanbul"], missed: ["stanbul"] },
  { text: "ΟΔΟΣ", found: ["οδος", "οδοσ"], missed: ["οδό"] },
  { text: "日本", found: ["日本語"], missed: ["日 本"] },
  { text: "か\u3099", found: ["が"], missed: ["か"] },
  { text: "か", found: ["かき"], missed: ["が", "か\u3099"] },
  { text: "한국", found: ["한국어", "한국".normalize("NFD")], missed: ["하구"] },
  { text: "שלום", found: ["שלום עולם"], missed: ["שלם"] },
  { text: "য়", found: ["\u09df", "\u09af\u09bc"], missed: ["\u09af"] },
  { text: "🎉", found: ["🎉🎉"], missed: ["🎊", "\u{1f38a}"] },
  { text: "👩‍🚀", found: ["👩‍🚀!"], missed: ["👩🚀"] }
]

const isOne = (text: string): boolean => Array.from(text.normalize("NFC")).length === 1

/** A character's spellings: its upper and lower case if each is one character, composed and decomposed. */
export const spellingsOf = (code: number): ReadonlyArray<string> => {
  if (code >= 0xd800 && code < 0xe000) return []
  const character = String.fromCodePoint(code)
  // A mark alone is no letter, although its upper case can be a letter.
  if (/\p{M}/u.test(character)) return [character]
  const cases = [character, ...[character.toUpperCase(), character.toLowerCase()].filter(isOne)]
  const spellings = new Set(cases.flatMap((each) => [each, each.normalize("NFC"), each.normalize("NFD")]))
  return spellings.size === 1 && code > 0x7f ? [] : Array.from(spellings)
}
