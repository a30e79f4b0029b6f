import { maxTagLength } from "../../../domain/plain/limits.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { withTag } from "./form.ts"

export interface TagsInputProps {
  readonly tags: ReadonlyArray<string>
  readonly onTags: (tags: ReadonlyArray<string>) => void
  readonly text: string
  readonly onText: (text: string) => void
  readonly error: string | undefined
  readonly readOnly: boolean
}

/** Enter, a comma or leaving the field ends a tag. */
export const TagsInput = ({ error, onTags, onText, readOnly, tags, text }: TagsInputProps) => {
  const add = () => {
    const all = withTag(tags, text)
    onText("")
    if (all !== tags) onTags(all)
  }
  return (
    <Field label="Tags" hint="For you and your team; never published." error={error}>
      {(control) => (
        <div class="compose-tags">
          {tags.map((tag) => (
            <Chip
              key={tag}
              removeLabel={`Remove the tag ${tag}`}
              onRemove={() => {
                onTags(tags.filter((other) => other !== tag))
              }}
            >
              {tag}
            </Chip>
          ))}
          <input
            {...control}
            class="compose-tag-input"
            value={text}
            maxLength={maxTagLength}
            readOnly={readOnly}
            placeholder={tags.length === 0 ? "release, summer campaign" : ""}
            onInput={(event) => {
              onText(event.currentTarget.value)
            }}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.isComposing || event.ctrlKey || event.metaKey) return
              if (event.key === "Enter" || event.key === ",") {
                event.preventDefault()
                add()
              } else if (event.key === "Backspace" && text === "" && tags.length > 0) {
                onTags(tags.slice(0, -1))
              }
            }}
          />
        </div>
      )}
    </Field>
  )
}
