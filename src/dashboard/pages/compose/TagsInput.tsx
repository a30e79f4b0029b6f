import { Chip } from "../../ui/controls/Chip.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { MarkedText } from "../../ui/preview/MarkedText.tsx"
import { describeTags, tagSeparator } from "../../shared/savableTags.ts"
import type { Composer } from "./useComposer.ts"

interface TagsInputProps {
  readonly composer: Composer
  readonly error: string | undefined
}

/** A tag that is still being typed is described once it can't become one. */
const describeLeft = (tags: ReadonlyArray<string>, text: string): string | undefined =>
  text === "" ? undefined : describeTags(tags, text)

/** Enter, a comma, a semicolon or leaving the field completes a tag. */
export const TagsInput = ({ composer: { dispatch, readOnly, state }, error }: TagsInputProps) => {
  const { form, tagText } = state
  const { tags } = form
  const add = () => dispatch({ type: "endTag" })
  const setTags = (changed: ReadonlyArray<string>) => dispatch({ type: "form", change: { tags: changed } })
  return (
    <Field label="Tags" hint="For you and your team; never published." error={describeLeft(tags, tagText) ?? error}>
      {(control) => (
        <div class="compose-tags">
          {tags.map((tag) => (
            <Chip
              key={tag}
              removeLabel={`Remove the tag ${tag}`}
              onRemove={() => setTags(tags.filter((other) => other !== tag))}
            >
              <MarkedText text={tag} />
            </Chip>
          ))}
          <input
            {...control}
            class="compose-tag-input"
            value={tagText}
            readOnly={readOnly}
            placeholder={tags.length === 0 ? "release, summer campaign" : ""}
            onInput={(event) => dispatch({ type: "typeTag", text: event.currentTarget.value })}
            onPaste={(event) => {
              // The field itself would drop the line breaks.
              const text = event.clipboardData?.getData("text/plain") ?? ""
              if (readOnly || !tagSeparator.test(text)) return
              event.preventDefault()
              dispatch({ type: "typeTag", text: `${tagText}${text}` })
              add()
            }}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.isComposing || event.ctrlKey || event.metaKey) return
              if (event.key === "Enter" || (event.key.length === 1 && tagSeparator.test(event.key))) {
                event.preventDefault()
                add()
              } else if (event.key === "Backspace" && tagText === "" && tags.length > 0) {
                setTags(tags.slice(0, -1))
              }
            }}
          />
        </div>
      )}
    </Field>
  )
}
