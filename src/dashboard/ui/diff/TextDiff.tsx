import { wordDiff } from "./wordDiff.ts"

export interface TextDiffProps {
  readonly before: string
  readonly after: string
}

const tags = { same: "span", added: "ins", removed: "del" } as const

export const TextDiff = ({ after, before }: TextDiffProps) => (
  <p class="text-diff" dir="auto">
    {wordDiff(before, after).map(({ kind, text }, index) => {
      const Tag = tags[kind]
      return <Tag key={index}>{text}</Tag>
    })}
  </p>
)
