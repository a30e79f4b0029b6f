import { useId, useLayoutEffect } from "preact/hooks"
import { namePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { classes } from "../../ui/classes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import type { Focus } from "./composingState.ts"
import { AddFiles } from "./AddFiles.tsx"
import { EditorTabs, hasTabs } from "./EditorTabs.tsx"
import { PartFiles } from "./PartFiles.tsx"
import { PartHead } from "./PartHead.tsx"
import { chainOn, maxParts } from "./parts.ts"
import { type PartProps, PartText } from "./PartText.tsx"
import { SplitDialog } from "./SplitDialog.tsx"
import type { EditorProps } from "./useEditor.ts"

const enabled = (root: Element | null, selector: string) => root?.querySelector<HTMLElement>(`${selector}:enabled`)

/** Focuses a control of a part. If it is disabled, focuses the other arrow, or else the text. */
const focusPart = ({ control, key }: Focus) => {
  const root = document.querySelector(`[data-part="${CSS.escape(key)}"]`)
  const found =
    control === "textarea"
      ? null
      : (enabled(root, `[data-move="${control}"] button`) ?? enabled(root, "[data-move] button"))
  ;(found ?? enabled(root, "textarea"))?.focus()
}

/** The key of the part that contains the element. */
export const partAt = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>("[data-part]")?.dataset["part"] : undefined

const Part = (props: PartProps) => {
  const { editor, index, issues, part } = props
  const { parts, tab } = editor
  const isThread = parts.length > 1
  return (
    <li
      class="compose-part"
      data-part={part.key}
      aria-label={isThread ? `Part ${index + 1} of ${parts.length}` : undefined}
    >
      {isThread && (
        <>
          <span class="compose-part-number numbers" aria-hidden="true">
            {index + 1}
          </span>
          <PartHead {...props} />
        </>
      )}
      {issues.platforms !== undefined && <FieldErrors errors={[issues.platforms]} />}
      {tab === "all" || chainOn(parts, tab).some((one) => one.index === index) ? (
        <PartText {...props} />
      ) : (
        <p class="field-note">{platformName(tab)} does not get this part.</p>
      )}
      <PartFiles {...props} />
    </li>
  )
}

const AddPart = ({ editor, onAdd }: EditorProps & { readonly onAdd: (after?: string) => void }) => {
  const { addFiles, canThread, isFull, parts, platforms, readOnly } = editor
  const [first] = parts
  const isThread = parts.length > 1
  return (
    <div class={classes("compose-add", isThread && "compose-add-part")}>
      {!isThread && first !== undefined && (
        <AddFiles of="" isSmall={false} disabled={false} onFiles={(files) => addFiles(files, first.key)} />
      )}
      {canThread && (
        <Button size="small" icon="plus" disabled={isFull || readOnly} onClick={() => onAdd()}>
          Add to thread
        </Button>
      )}
      {!canThread ? (
        <span class="secondary small">
          {namePlatforms(platforms)} {platforms.length === 1 ? "has" : "have"} no threads
        </span>
      ) : isFull ? (
        <span class="secondary small">A thread has {maxParts} parts at most</span>
      ) : (
        !isThread && <span class="secondary small compose-hint">Files can be dropped or pasted, too</span>
      )}
    </div>
  )
}

export const Parts = ({ editor }: EditorProps) => {
  const { canThread, dispatch, isFull, issues, parts, platforms, readOnly, state } = editor
  const { focus, said, splitting } = state
  const split = parts.find(({ key }) => key === splitting)
  const panel = useId()
  useLayoutEffect(() => {
    if (focus !== undefined) focusPart(focus)
  }, [focus])
  const add = (after?: string) => dispatch({ type: "add", after, key: newIdempotencyKey() })
  useShortcut(
    { keys: "Shift+Control+Enter", label: "Add a part to the thread", group: "Compose", whileTyping: true },
    !canThread || isFull || readOnly ? undefined : () => add(partAt(document.activeElement))
  )
  const withTabs = hasTabs(parts, platforms)
  return (
    <div class="compose-editor">
      {withTabs && <EditorTabs editor={editor} panelId={panel} />}
      <div id={panel} role={withTabs ? "tabpanel" : undefined} aria-label={withTabs ? "Editor" : undefined}>
        <ol class={classes("compose-parts", parts.length > 1 && "compose-thread")}>
          {parts.map((part, index) => (
            <Part key={part.key} editor={editor} part={part} index={index} issues={issues.part(index)} />
          ))}
        </ol>
      </div>
      <AddPart editor={editor} onAdd={add} />
      <div class="only-read" role="status">
        {said}
      </div>
      {split !== undefined && <SplitDialog editor={editor} part={split} />}
    </div>
  )
}
