import { hasThreads, namePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { SameAsAll } from "./EditorTabs.tsx"
import { AddFiles } from "./AddFiles.tsx"
import { canMove, canRemove, type ComposePart, isPartOn } from "./parts.ts"
import type { PartProps } from "./PartText.tsx"

const Where = ({ editor: { dispatch, platforms, readOnly }, index, part }: PartProps) => {
  const goTo = (chosen: ComposePart["platforms"]) => () =>
    dispatch({ type: "part", key: part.key, change: () => ({ platforms: chosen }) })
  const threaded = platforms.filter(hasThreads)
  const label = `Where part ${index + 1} goes`
  return (
    <Menu
      label={label}
      align="end"
      trigger={(trigger) => <IconButton icon="more" label={label} disabled={readOnly} {...trigger} />}
      groups={[
        [
          { label: "On all platforms", checked: part.platforms === null, onSelect: goTo(null) },
          ...(threaded.length > 1 && threaded.length < platforms.length
            ? [
                {
                  label: "On all platforms with threads",
                  checked: part.platforms !== null && threaded.every((platform) => isPartOn(part, platform)),
                  onSelect: goTo(threaded)
                }
              ]
            : []),
          ...platforms.map((platform) => ({
            label: `Only on ${platformName(platform)}`,
            checked: part.platforms?.join() === platform,
            onSelect: goTo([platform])
          }))
        ]
      ]}
    />
  )
}

export const PartHead = (props: PartProps) => {
  const { editor, index, part } = props
  const { addFiles, dispatch, parts, platforms, readOnly, removePart } = editor
  const number = index + 1
  const move = (by: -1 | 1) => () => dispatch({ type: "move", key: part.key, by })
  return (
    <div class="compose-part-head">
      {part.platforms !== null && (
        <span class="compose-part-only truncate">Only on {namePlatforms(part.platforms)}</span>
      )}
      <SameAsAll editor={editor} part={part} number={number} />
      <span class="compose-part-tools">
        <AddFiles
          of={` of part ${number}`}
          isSmall
          disabled={readOnly}
          onFiles={(files) => addFiles(files, part.key)}
        />
        <span data-move="up">
          <IconButton
            icon="arrowUp"
            label={`Move part ${number} up`}
            disabled={readOnly || !canMove(parts, index, -1)}
            onClick={move(-1)}
          />
        </span>
        <span data-move="down">
          <IconButton
            class="compose-down"
            icon="arrowUp"
            label={`Move part ${number} down`}
            disabled={readOnly || !canMove(parts, index, 1)}
            onClick={move(1)}
          />
        </span>
        {index > 0 && (platforms.length > 1 || part.platforms !== null) && <Where {...props} />}
        <IconButton
          icon="close"
          label={`Remove part ${number}`}
          disabled={readOnly || !canRemove(parts, index)}
          onClick={() => removePart(part, index)}
        />
      </span>
    </div>
  )
}
