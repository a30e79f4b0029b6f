import { markHidden } from "./hiddenText.ts"

/** A text with marks for what readers would not see. */
export const MarkedText = ({ text }: { readonly text: string }) => (
  <>
    {markHidden(text).map((part, index) =>
      part.isMark ? (
        <mark key={index} class="preview-hidden" dir="ltr" title="Readers do not see this">
          {part.text}
        </mark>
      ) : (
        part.text
      )
    )}
  </>
)
