import { useId } from "preact/hooks"
import { maxTextLength } from "../../../domain/plain/limits.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import { settingText } from "../../../domain/plain/shownText.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FieldNote } from "../../ui/controls/Field.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { type Count, CountRings } from "./CountRings.tsx"
import type { PartIssues } from "./issues.ts"
import { chainOn, type ComposePart, splitTargets, textOn } from "./parts.ts"
import type { EditorProps } from "./useEditor.ts"
import { measureOn } from "./validation.ts"

export interface PartProps extends EditorProps {
  readonly part: ComposePart
  readonly index: number
  readonly issues: PartIssues
}

/** The service splits a text at a line of `---`. */
const breakLine = /^[^\S\n]*---[^\S\n]*$/m

const countsOf = ({ editor: { parts, platforms, result }, part }: PartProps): ReadonlyArray<Count> =>
  platforms.flatMap((platform) => {
    const place = chainOn(parts, platform).findIndex((one) => one.part.key === part.key)
    const measure = place === -1 ? undefined : measureOn(result, platform, place)
    return measure === undefined ? [] : [{ platform, ...measure }]
  })

const describeOwnText = ({ editor: { state, tab }, part }: PartProps): string | undefined => {
  if (tab === "all") return undefined
  const name = platformName(tab)
  if (settingText(tab, state.form.settings ?? {}) !== undefined)
    return `${name} gets the caption below in place of this text.`
  return part.overrides[tab] === undefined
    ? `The same as all. Changes here are only for ${name}.`
    : `Only ${name} gets this text.`
}

const TextNote = (props: PartProps) => {
  const { issues } = props
  const ownText = describeOwnText(props)
  return (
    <>
      <FieldErrors errors={issues.text} />
      {issues.textDoubts.map((doubt) => (
        <FieldNote key={doubt} doubt={doubt} />
      ))}
      {issues.text.length === 0 && ownText !== undefined && <p class="field-note">{ownText}</p>}
    </>
  )
}

export const PartText = (props: PartProps) => {
  const { editor, index, issues, part } = props
  const { addFiles, canThread, dispatch, isFull, parts, platforms, readOnly, tab } = editor
  const id = useId()
  const text = tab === "all" ? part.content : textOn(part, tab)
  const isThread = parts.length > 1
  const counts = countsOf(props)
  const targets = splitTargets(part, tab, platforms)
  const isTooLong =
    text.length > maxTextLength ||
    counts.some(
      ({ length, limit, platform }) =>
        length > limit &&
        targets.includes(platform) &&
        settingText(platform, editor.state.form.settings ?? {}) === undefined
    )
  return (
    <>
      <textarea
        class="compose-text"
        aria-label={`Text${isThread ? ` of part ${index + 1}` : ""}${tab === "all" ? "" : ` on ${platformName(tab)}`}`}
        aria-invalid={issues.text.length > 0}
        aria-describedby={`${id}-note`}
        placeholder={index === 0 ? "What do you want to say?" : "What follows?"}
        autofocus={index === 0}
        readOnly={readOnly}
        dir="auto"
        value={text}
        onInput={(event) => dispatch({ type: "write", key: part.key, tab, text: event.currentTarget.value })}
        onPaste={(event) => {
          const files = event.clipboardData?.files
          if (files === undefined || files.length === 0) return
          event.preventDefault()
          addFiles(files, part.key)
        }}
      />
      <div class="compose-under">
        <div class="compose-notes">
          <div id={`${id}-note`} class="compose-notes" aria-live="polite">
            <TextNote {...props} />
          </div>
          {canThread && !isFull && (isTooLong || breakLine.test(text)) && (
            <div class="compose-split">
              <Button
                size="small"
                disabled={readOnly}
                aria-haspopup="dialog"
                onClick={() => dispatch({ type: "askSplit", key: part.key })}
              >
                {isThread ? "Split into parts" : "Split into a thread"}
              </Button>
            </div>
          )}
        </div>
        <CountRings counts={counts} />
      </div>
    </>
  )
}
