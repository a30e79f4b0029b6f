import { useId } from "preact/hooks"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { ValidationJson } from "../../api/postActions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { CountRing } from "../../ui/display/CountRing.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { chainOn, type ComposePart, type EditorTab, isPartOn, splitTargets, textOn } from "./parts.ts"
import { measureOn } from "./validation.ts"

export interface PartTextProps {
  readonly part: ComposePart
  readonly parts: ReadonlyArray<ComposePart>
  readonly index: number
  readonly change: (change: Partial<ComposePart>) => void
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly tab: EditorTab
  readonly result: ValidationJson | undefined
  readonly issues: ReadonlyArray<string>
  readonly onFiles: (files: Iterable<File>) => void
  /** Undefined if no part can be added. */
  readonly onSplit: (() => void) | undefined
  /** True while the post is saved: later input would be lost. */
  readonly readOnly: boolean
}

/** A line that ends a part, by the service's syntax. */
const breakLine = /^[^\S\n]*---[^\S\n]*$/m

const nameText = (index: number, count: number, tab: EditorTab): string =>
  `Text${count > 1 ? ` of part ${index + 1}` : ""}${tab === "all" ? "" : ` on ${platformName(tab)}`}`

export const PartText = (props: PartTextProps) => {
  const { change, index, issues, onFiles, onSplit, part, parts, platforms, readOnly, result, tab } = props
  const id = useId()
  const isOwn = tab !== "all" && part.overrides[tab] !== undefined
  const text = tab === "all" ? part.content : textOn(part, tab)
  const measures = platforms.flatMap((platform) => {
    if (!isPartOn(part, platform)) return []
    const place = chainOn(parts, platform).findIndex((one) => one.part.key === part.key)
    const measure = measureOn(result, platform, place)
    return measure === undefined ? [] : [{ platform, ...measure }]
  })
  const targets = splitTargets(part, tab, platforms)
  const isTooLong = measures.some(({ length, limit, platform }) => length > limit && targets.includes(platform))
  return (
    <>
      <textarea
        class="compose-text"
        aria-label={nameText(index, parts.length, tab)}
        aria-invalid={issues.length > 0}
        aria-describedby={`${id}-note`}
        placeholder={index === 0 ? "What do you want to say?" : "What follows?"}
        autofocus={index === 0}
        readOnly={readOnly}
        dir="auto"
        value={text}
        onInput={(event) => {
          const typed = event.currentTarget.value
          change(tab === "all" ? { content: typed } : { overrides: { ...part.overrides, [tab]: typed } })
        }}
        onPaste={(event) => {
          const files = event.clipboardData?.files
          if (files === undefined || files.length === 0) return
          event.preventDefault()
          onFiles(files)
        }}
      />
      <div class="compose-under">
        <div class="compose-notes">
          <div id={`${id}-note`} class="compose-notes" aria-live="polite">
            <FieldErrors errors={issues} />
            {issues.length === 0 && tab !== "all" && (
              <p class="field-note">
                {isOwn
                  ? `Only ${platformName(tab)} gets this text.`
                  : `The same as all. Changes here are only for ${platformName(tab)}.`}
              </p>
            )}
          </div>
          {onSplit !== undefined && (isTooLong || breakLine.test(text)) && (
            <div class="compose-split">
              <Button size="small" disabled={readOnly} aria-haspopup="dialog" onClick={onSplit}>
                {parts.length > 1 ? "Split into parts" : "Split into a thread"}
              </Button>
            </div>
          )}
        </div>
        <div class="compose-rings">
          {measures.map(({ length, limit, platform }) => (
            <span key={platform} class="compose-ring">
              <PlatformMark platform={platform} size={12} />
              <CountRing name={platformName(platform)} length={length} limit={limit} />
            </span>
          ))}
        </div>
      </div>
    </>
  )
}
