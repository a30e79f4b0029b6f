import { MarkedText } from "../preview/MarkedText.tsx"
import { wordDiff } from "./wordDiff.ts"

const tags = { same: "span", added: "ins", removed: "del" } as const

export const TextDiff = ({ after, before }: { readonly before: string; readonly after: string }) => (
  <p class="text-diff" dir="auto">
    {wordDiff(before, after).map(({ kind, text }, index) => {
      const Tag = tags[kind]
      return (
        <Tag key={index}>
          <MarkedText text={text} />
        </Tag>
      )
    })}
  </p>
)
