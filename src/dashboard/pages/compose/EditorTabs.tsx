import type { ComponentChildren } from "preact"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import type { ComposePart, EditorTab } from "./parts.ts"

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

/** True if there are several texts: for several platforms, or for a removed platform. */
export const hasTabs = (parts: ReadonlyArray<ComposePart>, platforms: ReadonlyArray<LivePlatform>): boolean =>
  platforms.length > 1 || parts.some(({ overrides }) => Object.keys(overrides).length > 0)

export interface EditorTabsProps {
  readonly parts: ReadonlyArray<ComposePart>
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly tab: EditorTab
  readonly onTab: (tab: EditorTab) => void
  readonly panelId: string
  /** Shown next to the tabs. */
  readonly children: ComponentChildren
}

export const EditorTabs = ({ children, onTab, panelId, parts, platforms, tab }: EditorTabsProps) => (
  <div class="compose-tabs">
    <Tabs<EditorTab>
      label="Text for"
      selected={tab}
      onSelect={onTab}
      panelId={panelId}
      tabs={[
        { id: "all", label: "All" },
        ...platforms.map((platform) => ({
          id: platform,
          label: (
            <PlatformTab platform={platform} isOwn={parts.some(({ overrides }) => overrides[platform] !== undefined)} />
          )
        }))
      ]}
    />
    {children}
  </div>
)
