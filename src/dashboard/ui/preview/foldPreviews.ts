import type { PostPreviewProps } from "./PostPreview.tsx"

type Preview = Pick<PostPreviewProps, "account" | "parts" | "platform">

const keyOf = ({ parts }: Preview): string =>
  JSON.stringify(
    parts.map(({ card, media, placeholder, text }) => [text, media.map(({ id }) => id), card, placeholder])
  )

/** Previews that look alike become one, which names the others. They keep their order. */
export const foldPreviews = (
  previews: ReadonlyArray<Preview>
): ReadonlyArray<Preview & { readonly others: ReadonlyArray<Preview> }> =>
  Array.from(Map.groupBy(previews, keyOf).values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, others }]
  )
