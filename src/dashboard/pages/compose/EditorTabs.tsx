import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { type ComposePart, type EditorTab, withoutOverride } from "./parts.ts"
import type { EditorProps } from "./useEditor.ts"

const PlatformTab = ({ isOwn, platform }: { readonly isOwn: boolean; readonly platform: LivePlatform }) => (
  <>
    <PlatformMark platform={platform} />
    <span aria-hidden="true">{platformName(platform)}</span>
    {isOwn && (
      <span class="compose-own">
        <span class="only-read">, has its own text</span>
      </span>
    )}
  </>
)

/** True for several platforms, or if a part has a text for a platform that was removed. */
export const hasTabs = (parts: ReadonlyArray<ComposePart>, platforms: ReadonlyArray<LivePlatform>): boolean =>
  platforms.length > 1 || parts.some(({ overrides }) => Object.keys(overrides).length > 0)

interface SameAsAllProps extends EditorProps {
  readonly part: ComposePart
  /** Undefined if the post has one part. */
  readonly number?: number
}

/** Removes the part's own text for the shown platform. */
export const SameAsAll = ({ editor: { dispatch, readOnly, tab }, number, part }: SameAsAllProps) => {
  if (tab === "all" || part.overrides[tab] === undefined) return null
  const change = ({ overrides }: ComposePart) => ({ overrides: withoutOverride(overrides, tab) })
  return (
    <Button
      size="small"
      kind="quiet"
      disabled={number !== undefined && readOnly}
      aria-label={number === undefined ? undefined : `Same as all, part ${number}`}
      onClick={() => dispatch({ type: "part", key: part.key, change })}
    >
      Same as all
    </Button>
  )
}

export const EditorTabs = ({ editor, panelId }: EditorProps & { readonly panelId: string }) => {
  const { dispatch, parts, platforms, tab } = editor
  const [first] = parts
  return (
    <div class="compose-tabs">
      <Tabs<EditorTab>
        label="Text for"
        selected={tab}
        onSelect={(chosen) => dispatch({ type: "tab", tab: chosen })}
        panelId={panelId}
        tabs={[
          { id: "all", label: "All" },
          ...platforms.map((platform) => ({
            id: platform,
            label: (
              <PlatformTab
                platform={platform}
                isOwn={parts.some(({ overrides }) => overrides[platform] !== undefined)}
              />
            )
          }))
        ]}
      />
      {parts.length === 1 && first !== undefined && <SameAsAll editor={editor} part={first} />}
    </div>
  )
}
