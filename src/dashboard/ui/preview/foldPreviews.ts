interface Part {
  readonly text: string
  readonly media: ReadonlyArray<{ readonly id: string }>
  readonly card?: unknown
  readonly placeholder?: string | undefined
}

interface Preview {
  readonly parts: ReadonlyArray<Part>
}

const keyOf = ({ parts }: Preview): string =>
  JSON.stringify(
    parts.map(({ card, media, placeholder, text }) => [text, media.map(({ id }) => id), card, placeholder])
  )

/** Previews that look alike become one, which names the others. They keep their order. */
export const foldPreviews = <A extends Preview>(
  previews: ReadonlyArray<A>
): ReadonlyArray<A & { readonly others: ReadonlyArray<A> }> =>
  Array.from(Map.groupBy(previews, keyOf).values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, others }]
  )
