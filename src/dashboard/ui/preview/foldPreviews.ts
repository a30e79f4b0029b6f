import type { LivePlatform } from "../../../domain/platform.ts"
import { previews as facts } from "../../../platforms/previews.ts"
import { foldedText } from "./foldText.ts"
import type { TextPart } from "./richText.ts"

interface Part {
  readonly title?: string | undefined
  readonly text: string
  readonly media: ReadonlyArray<{ readonly id: string }>
  readonly card?: unknown
  readonly placeholder?: string | undefined
}

interface Preview {
  readonly platform: LivePlatform
  readonly parts: ReadonlyArray<Part>
}

/** A mention, a tag and a link look alike. */
const looksOf = (parts: ReadonlyArray<TextPart> = []) => parts.map(({ kind, text }) => [kind === "text", text])

const gridOf = (files: number, platform: LivePlatform) => (files < 2 ? undefined : facts[platform].grid)

/** All that people see of a preview, apart from the account. */
const keyOf = ({ parts, platform }: Preview): string =>
  JSON.stringify(
    parts.map(({ card, media, placeholder, text, title }) => {
      const { all, start } = foldedText(text, platform)
      const files = media.map(({ id }) => id)
      return [looksOf(all), looksOf(start), files, gridOf(files.length, platform), card, placeholder, title]
    })
  )

/** Previews that look alike become one, which names the others. They keep their order. */
export const foldPreviews = <A extends Preview>(
  previews: ReadonlyArray<A>
): ReadonlyArray<A & { readonly others: ReadonlyArray<A> }> =>
  Array.from(Map.groupBy(previews, keyOf).values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, others }]
  )
