import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { setQuery } from "../router.tsx"
import { noFilters } from "./filters.ts"

const clear = () => setQuery(noFilters, { replace: false })

export const ClearFilters = () => (
  <Button kind="quiet" size="small" onClick={clear}>
    Clear
  </Button>
)

export const NoMatch = ({ title }: { readonly title: string }) => (
  <EmptyState icon="filter" title={title} action={<Button onClick={clear}>Clear the filters</Button>}>
    <p>No post fits these filters.</p>
  </EmptyState>
)
