import { useId } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { ValidationJson } from "../../api/postActions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { CountRing } from "../../ui/display/CountRing.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { platformNames } from "../../../domain/plain/platforms.ts"
import { type ComposeForm, textOn, withoutOverride } from "./form.ts"
import { measureOn } from "./validation.ts"

export type EditorTab = "all" | LivePlatform

export interface EditorProps {
  readonly form: ComposeForm
  readonly change: (part: Partial<ComposeForm>) => void
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly tab: EditorTab
  readonly onTab: (tab: EditorTab) => void
  readonly result: ValidationJson | undefined
  readonly issues: ReadonlyArray<string>
  readonly onFiles: (files: Iterable<File>) => void
  /** Whether the post is being saved: what is typed then would not be part of it. */
  readonly readOnly: boolean
}

const PlatformTab = ({ isOwn, platform }: { readonly isOwn: boolean; readonly platform: LivePlatform }) => (
  <>
    <PlatformMark platform={platform} />
    <span aria-hidden="true">{platformNames[platform]}</span>
    {isOwn && (
      <span class="compose-own">
        <span class="only-read">, has its own text</span>
      </span>
    )}
  </>
)

/** The text: one for all platforms, or one of its own for each. */
export const Editor = (props: EditorProps) => {
  const { change, form, issues, onFiles, onTab, platforms, readOnly, result, tab } = props
  const id = useId()
  const isOwn = tab !== "all" && form.overrides[tab] !== undefined
  const hasTabs = platforms.length > 1 || Object.keys(form.overrides).length > 0
  return (
    <div class="compose-editor">
      {hasTabs && (
        <div class="compose-tabs">
          <Tabs<EditorTab>
            label="Text for"
            selected={tab}
            onSelect={onTab}
            panelId={`${id}-panel`}
            tabs={[
              { id: "all", label: "All" },
              ...platforms.map((platform) => ({
                id: platform,
                label: <PlatformTab platform={platform} isOwn={form.overrides[platform] !== undefined} />
              }))
            ]}
          />
          {isOwn && (
            <Button
              size="small"
              kind="quiet"
              onClick={() => {
                change({ overrides: withoutOverride(form.overrides, tab) })
              }}
            >
              Same as all
            </Button>
          )}
        </div>
      )}
      <div id={`${id}-panel`} role={hasTabs ? "tabpanel" : undefined} aria-label={hasTabs ? "Editor" : undefined}>
        <textarea
          class="compose-text"
          aria-label={tab === "all" ? "Text" : `Text on ${platformNames[tab]}`}
          aria-invalid={issues.length > 0}
          aria-describedby={`${id}-note`}
          placeholder="What do you want to say?"
          autofocus
          readOnly={readOnly}
          dir="auto"
          value={tab === "all" ? form.content : textOn(form, tab)}
          onInput={(event) => {
            const text = event.currentTarget.value
            change(tab === "all" ? { content: text } : { overrides: { ...form.overrides, [tab]: text } })
          }}
          onPaste={(event) => {
            const files = event.clipboardData?.files
            if (files === undefined || files.length === 0) return
            event.preventDefault()
            onFiles(files)
          }}
        />
      </div>
      <div class="compose-under">
        <div id={`${id}-note`} class="compose-notes" aria-live="polite">
          <FieldErrors errors={issues} />
          {issues.length === 0 && tab !== "all" && (
            <p class="field-note">
              {isOwn
                ? `Only ${platformNames[tab]} gets this text.`
                : `The same as all. What you change here is for ${platformNames[tab]} alone.`}
            </p>
          )}
        </div>
        <div class="compose-rings">
          {platforms.map((platform) => {
            const measure = measureOn(result, platform)
            return (
              measure !== undefined && (
                <span key={platform} class="compose-ring">
                  <PlatformMark platform={platform} size={12} />
                  <CountRing name={platformNames[platform]} length={measure.length} limit={measure.limit} />
                </span>
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}
