import { Effect, Result, Schema } from "effect"
import { isLanguageTag } from "../domain/posts/languageTag.ts"

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")

const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" })

const tagNamed = (name: string): string | undefined =>
  letters
    .flatMap((first) => letters.map((second) => first + second))
    .find((tag) => names.of(tag)?.toLowerCase() === name.toLowerCase())

class NotALanguage extends Schema.TaggedError<NotALanguage>()("NotALanguage", { message: Schema.String }) {}

export const readLanguage = Effect.fnUntraced(function* (text: string) {
  const [tag] = Result.getOrElse(
    Result.try(() => Intl.getCanonicalLocales(text)),
    () => []
  )
  if (tag !== undefined && isLanguageTag(tag)) return tag
  const meant = tagNamed(text)
  const hint = meant === undefined ? "" : ` ${names.of(meant)} is ${meant}.`
  return yield* new NotALanguage({
    message: `"${text}" is not a language tag. A language is a tag such as en, pt-BR or yue, or "none".${hint}`
  })
})

export const languageName = (tag: string): string | null => names.of(tag) ?? null
