import { assert, describe, it } from "@effect/vitest"
import { isLanguageTag } from "../../../src/domain/posts/languageTag.ts"

describe("isLanguageTag", () => {
  it.each(
    [
      "en pt-BR yue es-419 zh-Hant-TW zh-min-nan sl-rozaj-biske-1994 de-1996 en-u-hc-h12 x-own en-x-own i-klingon"
    ].flatMap((tags) => tags.split(" "))
  )("%s is a language tag", (tag) => assert.isTrue(isLanguageTag(tag)))

  it.each([
    ..."english Deutsch abcd EN pt_BR pt-BR- -en e e- de-1901-1901 de-1901-1901 en-u-aa-u-bb en-a I-klingon 12".split(
      " "
    ),
    "",
    "en\n",
    "not a language",
    "ру"
  ])("%j is no language tag", (tag) => assert.isFalse(isLanguageTag(tag)))
})
