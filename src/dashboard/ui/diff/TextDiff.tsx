import { wordDiff } from "./wordDiff.ts"

export interface TextDiffProps {
  readonly before: string
  readonly after: string
}

export const TextDiff = ({ after, before }: TextDiffProps) => (
  <p class="text-diff" dir="auto">
    {wordDiff(before, after).map(({ kind, text }, index) =>
      kind === "same" ? (
        <span key={index}>{text}</span>
      ) : kind === "added" ? (
        <ins key={index}>{text}</ins>
      ) : (
        <del key={index}>{text}</del>
      )
    )}
  </p>
)
