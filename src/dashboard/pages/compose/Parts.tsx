import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import type { ValidationJson } from "../../api/postActions.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { classes } from "../../ui/classes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { EditorTabs, hasTabs } from "./EditorTabs.tsx"
import type { ComposeForm } from "./form.ts"
import type { Issues } from "./issues.ts"
import {
  addParts,
  changePart,
  type ComposePart,
  type EditorTab,
  emptyPart,
  insertPart,
  isBlankPart,
  isPartOn,
  maxParts,
  movePart,
  partsOf,
  removePart,
  splitPart,
  splitTargets,
  textOn,
  withoutOverride,
  withParts
} from "./parts.ts"
import { AddFiles, PartFiles } from "./PartFiles.tsx"
import { PartHead } from "./PartHead.tsx"
import { PartText } from "./PartText.tsx"
import { SplitDialog } from "./SplitDialog.tsx"
import type { Uploads } from "./useUploads.ts"

export interface PartsProps {
  readonly form: ComposeForm
  readonly change: (change: (form: ComposeForm) => ComposeForm) => void
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly result: ValidationJson | undefined
  readonly issues: Issues
  readonly uploads: Uploads
  /** True while the post is saved: later input would be lost. */
  readonly readOnly: boolean
}

interface Wanted {
  readonly key: string
  readonly control: "textarea" | "up" | "down"
}

const enabled = (root: Element | null, selector: string) => root?.querySelector<HTMLElement>(`${selector}:enabled`)

/** Focuses a control of a part, or another of its controls if that is disabled. */
const focusPart = ({ control, key }: Wanted) => {
  const root = document.querySelector(`[data-part="${CSS.escape(key)}"]`)
  const found =
    control === "textarea"
      ? null
      : (enabled(root, `[data-move="${control}"] button`) ?? enabled(root, "[data-move] button"))
  ;(found ?? enabled(root, "textarea"))?.focus()
}

/** The key of the part around an element; undefined outside of the parts. */
export const partAt = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>("[data-part]")?.dataset["part"] : undefined

export const Parts = ({ change, form, issues, platforms, readOnly, result, uploads }: PartsProps) => {
  const panel = useId()
  const [tab, setTab] = useState<EditorTab>("all")
  const [splitting, setSplitting] = useState<string>()
  const [said, setSaid] = useState("")
  const wanted = useRef<Wanted | undefined>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    focusPart(wanted.current)
    wanted.current = undefined
  })

  /** True until the person goes to another page. */
  const isHere = useRef(true)
  useEffect(
    () => () => {
      isHere.current = false
    },
    []
  )

  const parts = partsOf(form)
  const shownTab = tab !== "all" && !platforms.includes(tab) ? "all" : tab
  const isThread = parts.length > 1
  const isFull = parts.length >= maxParts
  const split = parts.find(({ key }) => key === splitting)
  const withTabs = hasTabs(parts, platforms)
  const [first] = parts

  const add = (after: string) => {
    if (isFull || readOnly) return
    const part = emptyPart(newIdempotencyKey())
    wanted.current = { key: part.key, control: "textarea" }
    change((current) => addParts(current, after, [part]))
  }
  const addAtEnd = () => {
    const last = parts.at(-1)
    if (last !== undefined) add(last.key)
  }
  const move = (key: string, index: number, by: -1 | 1) => {
    wanted.current = { key, control: by === -1 ? "up" : "down" }
    setSaid(`Part ${index + 1} is part ${index + 1 + by} now`)
    change((current) => movePart(current, key, by))
  }
  const remove = (part: ComposePart, index: number) => {
    const next = parts[index + 1] ?? parts[index - 1]
    if (next !== undefined) wanted.current = { key: next.key, control: "textarea" }
    for (const upload of uploads.running) if (upload.part === part.key) upload.cancel()
    change((current) => removePart(current, part.key))
    if (isBlankPart(part)) return
    toast(`Part ${index + 1} is removed`, {
      action: {
        label: "Undo",
        run: () => {
          if (!isHere.current) return
          wanted.current = { key: part.key, control: "textarea" }
          change((current) => insertPart(current, part, index))
        }
      }
    })
  }
  useShortcut(
    { keys: "Shift+Control+Enter", label: "Add a part to the thread", group: "Compose", whileTyping: true },
    isFull || readOnly
      ? undefined
      : () => {
          const key = partAt(document.activeElement)
          if (key === undefined) addAtEnd()
          else add(key)
        }
  )

  return (
    <div class="compose-editor">
      {withTabs && (
        <EditorTabs parts={parts} platforms={platforms} tab={shownTab} onTab={setTab} panelId={panel}>
          {!isThread && first !== undefined && shownTab !== "all" && first.overrides[shownTab] !== undefined && (
            <Button
              size="small"
              kind="quiet"
              onClick={() => {
                change((current) => ({ ...current, overrides: withoutOverride(current.overrides, shownTab) }))
              }}
            >
              Same as all
            </Button>
          )}
        </EditorTabs>
      )}
      <div id={panel} role={withTabs ? "tabpanel" : undefined} aria-label={withTabs ? "Editor" : undefined}>
        <ol class={classes("compose-parts", isThread && "compose-thread")}>
          {parts.map((part, index) => {
            const changeIt = (how: (part: ComposePart) => Partial<ComposePart>) => {
              change((current) => changePart(current, part.key, how))
            }
            const set = (changed: Partial<ComposePart>) => {
              changeIt(() => changed)
            }
            const onFiles = (files: Iterable<File>) => {
              uploads.add(files, part.key)
            }
            const found = issues.part(index)
            const common = { part, parts, index, platforms, tab: shownTab, change: set, onFiles, readOnly }
            const of = isThread ? ` of part ${index + 1}` : ""
            const isShown = shownTab === "all" || isPartOn(part, shownTab)
            return (
              <li
                key={part.key}
                class="compose-part"
                data-part={part.key}
                aria-label={isThread ? `Part ${index + 1} of ${parts.length}` : undefined}
              >
                {isThread && (
                  <>
                    <span class="compose-part-number numbers" aria-hidden="true">
                      {index + 1}
                    </span>
                    <PartHead
                      {...common}
                      onMove={(by) => {
                        move(part.key, index, by)
                      }}
                      onRemove={() => {
                        remove(part, index)
                      }}
                    />
                  </>
                )}
                {found.platforms !== undefined && <FieldErrors errors={[found.platforms]} />}
                {isShown ? (
                  <PartText
                    {...common}
                    result={result}
                    issues={found.text}
                    onSplit={
                      isFull
                        ? undefined
                        : () => {
                            setSplitting(part.key)
                          }
                    }
                  />
                ) : (
                  <p class="field-note">{platformName(shownTab)} does not get this part.</p>
                )}
                <PartFiles part={part} of={of} change={changeIt} uploads={uploads} issues={found} readOnly={readOnly} />
              </li>
            )
          })}
        </ol>
      </div>
      <div class={classes("compose-add", isThread && "compose-add-part")}>
        {!isThread && first !== undefined && (
          <AddFiles
            of=""
            isSmall={false}
            disabled={false}
            onFiles={(files) => {
              uploads.add(files, first.key)
            }}
          />
        )}
        <Button size="small" icon="plus" disabled={isFull || readOnly} onClick={addAtEnd}>
          Add to thread
        </Button>
        {isFull ? (
          <span class="secondary small">A thread has {maxParts} parts at most</span>
        ) : (
          !isThread && <span class="secondary small compose-hint">Files can be dropped or pasted, too</span>
        )}
      </div>
      <div class="only-read" role="status">
        {said}
      </div>
      {split !== undefined && (
        <SplitDialog
          text={shownTab === "all" ? split.content : textOn(split, shownTab)}
          platforms={splitTargets(split, shownTab, platforms)}
          maxParts={maxParts - parts.length + 1}
          onTake={(texts) => {
            setSplitting(undefined)
            const made = splitPart(split, { tab: shownTab, platforms, texts, newKey: newIdempotencyKey })
            wanted.current = { key: split.key, control: "textarea" }
            change((current) =>
              withParts(
                current,
                partsOf(current).flatMap((part) => (part.key === split.key ? made : [part]))
              )
            )
          }}
          onClose={() => {
            setSplitting(undefined)
          }}
        />
      )}
    </div>
  )
}
