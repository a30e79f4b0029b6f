import { maxTagLength } from "../../../domain/plain/limits.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { MarkedText } from "../../ui/preview/MarkedText.tsx"
import type { Composer } from "./useComposer.ts"

interface TagsInputProps {
  readonly composer: Composer
  readonly error: string | undefined
}

/** Enter, a comma or leaving the field completes a tag. */
export const TagsInput = ({ composer: { dispatch, readOnly, state }, error }: TagsInputProps) => {
  const { form, tagText } = state
  const { tags } = form
  const add = () => dispatch({ type: "endTag" })
  const setTags = (changed: ReadonlyArray<string>) => dispatch({ type: "form", change: { tags: changed } })
  return (
    <Field label="Tags" hint="For you and your team; never published." error={error}>
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
            maxLength={maxTagLength}
            readOnly={readOnly}
            placeholder={tags.length === 0 ? "release, summer campaign" : ""}
            onInput={(event) => dispatch({ type: "typeTag", text: event.currentTarget.value })}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.isComposing || event.ctrlKey || event.metaKey) return
              if (event.key === "Enter" || event.key === ",") {
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
