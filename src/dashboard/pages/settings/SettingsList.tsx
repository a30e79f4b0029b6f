import type { ComponentChildren } from "preact"
import type { QueryState } from "../../api/query.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import type { IconName } from "../../ui/Icon.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

export interface SettingsListProps {
  readonly description: ComponentChildren
  readonly list: Pick<QueryState<unknown>, "error" | "isLoading" | "refetch">
  /** Undefined until it is known. */
  readonly count: number | undefined
  readonly add: { readonly label: string; readonly onClick: () => void }
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: ComponentChildren }
  readonly children: ComponentChildren
}

export const SettingsList = ({ add, children, count, description, empty, list }: SettingsListProps) => {
  const button = (
    <Button kind="primary" icon="plus" onClick={add.onClick}>
      {add.label}
    </Button>
  )
  return (
    <SettingsLayout description={description} actions={count !== undefined && count > 0 ? button : undefined}>
      <LoadState of={list} height="row" lines={3} />
      {count === 0 && (
        <EmptyState icon={empty.icon} title={empty.title} action={button}>
          {empty.text}
        </EmptyState>
      )}
      {children}
    </SettingsLayout>
  )
}
