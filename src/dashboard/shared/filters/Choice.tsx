import { Menu, type MenuItem } from "../../ui/controls/Menu.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"

export interface ChoiceProps {
  readonly label: string
  readonly icon?: IconName
  readonly value: string | undefined
  readonly groups: ReadonlyArray<ReadonlyArray<MenuItem>>
  readonly align?: "start" | "end"
}

export const Choice = ({ align = "start", groups, icon, label, value }: ChoiceProps) => (
  <Menu
    label={label}
    align={align}
    groups={groups}
    trigger={(props) => (
      <button
        type="button"
        class="chip chip-button filter-choice"
        data-on={value === undefined ? undefined : ""}
        aria-label={value === undefined ? label : `${label}: ${value}`}
        {...props}
      >
        {icon !== undefined && <Icon name={icon} size={14} />}
        <span class="truncate">{value ?? label}</span>
        <Icon name="chevronDown" size={12} />
      </button>
    )}
  />
)
