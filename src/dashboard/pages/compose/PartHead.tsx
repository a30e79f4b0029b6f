import { namePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { canMove, canRemove, type ComposePart, type EditorTab, isPartOn, withoutOverride } from "./parts.ts"
import { AddFiles } from "./PartFiles.tsx"

export interface PartHeadProps {
  readonly part: ComposePart
  readonly parts: ReadonlyArray<ComposePart>
  readonly index: number
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly tab: EditorTab
  readonly change: (change: Partial<ComposePart>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
  readonly onFiles: (files: Iterable<File>) => void
  readonly readOnly: boolean
}

/** Undefined for all of the post's platforms. */
const nameOnly = (part: ComposePart): string | undefined =>
  part.platforms === null ? undefined : `Only on ${namePlatforms(part.platforms)}`

const Where = ({ change, index, part, platforms, readOnly }: PartHeadProps) => (
  <Menu
    label={`Where part ${index + 1} goes`}
    align="end"
    trigger={(trigger) => (
      <IconButton icon="more" label={`Where part ${index + 1} goes`} disabled={readOnly} {...trigger} />
    )}
    groups={[
      [
        {
          label: "On all platforms",
          checked: part.platforms === null,
          onSelect: () => {
            change({ platforms: null })
          }
        },
        ...platforms.map((platform) => ({
          label: `Only on ${platformName(platform)}`,
          checked: part.platforms !== null && isPartOn(part, platform),
          onSelect: () => {
            change({ platforms: [platform] })
          }
        }))
      ]
    ]}
  />
)

export const PartHead = (props: PartHeadProps) => {
  const { change, index, onFiles, onMove, onRemove, part, parts, platforms, readOnly, tab } = props
  const number = index + 1
  const only = nameOnly(part)
  return (
    <div class="compose-part-head">
      {only !== undefined && <span class="compose-part-only truncate">{only}</span>}
      {tab !== "all" && part.overrides[tab] !== undefined && (
        <Button
          size="small"
          kind="quiet"
          disabled={readOnly}
          aria-label={`Same as all, part ${number}`}
          onClick={() => {
            change({ overrides: withoutOverride(part.overrides, tab) })
          }}
        >
          Same as all
        </Button>
      )}
      <span class="compose-part-tools">
        <AddFiles of={` of part ${number}`} isSmall disabled={readOnly} onFiles={onFiles} />
        <span data-move="up">
          <IconButton
            icon="arrowUp"
            label={`Move part ${number} up`}
            disabled={readOnly || !canMove(parts, index, -1)}
            onClick={() => {
              onMove(-1)
            }}
          />
        </span>
        <span data-move="down">
          <IconButton
            class="compose-down"
            icon="arrowUp"
            label={`Move part ${number} down`}
            disabled={readOnly || !canMove(parts, index, 1)}
            onClick={() => {
              onMove(1)
            }}
          />
        </span>
        {index > 0 && (platforms.length > 1 || part.platforms !== null) && <Where {...props} />}
        <IconButton
          icon="close"
          label={`Remove part ${number}`}
          disabled={readOnly || !canRemove(parts, index)}
          onClick={onRemove}
        />
      </span>
    </div>
  )
}
