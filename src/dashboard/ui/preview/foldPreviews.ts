interface Foldable {
  readonly parts: ReadonlyArray<{
    readonly text: string
    readonly media: ReadonlyArray<{ readonly id: string }>
    readonly card?: unknown
    readonly placeholder?: unknown
  }>
}

const keyOf = ({ parts }: Foldable): string =>
  JSON.stringify(
    parts.map(({ card, media, placeholder, text }) => [text, media.map(({ id }) => id), card, placeholder])
  )

/** Previews that look alike become one, which names the others. They keep their order. */
export const foldPreviews = <Preview extends Foldable>(
  previews: ReadonlyArray<Preview>
): ReadonlyArray<Preview & { readonly others: ReadonlyArray<Preview> }> =>
  Array.from(Map.groupBy(previews, keyOf).values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, others }]
  )
