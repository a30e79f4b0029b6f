/** The same as icon.svg. */
export const Mark = ({ size = 28 }: { readonly size?: number }) => (
  <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" class="mark-ground" />
    <path class="mark-line" d="M9.500 20.500V14a3 3 0 0 1 3-3H23m0 0-4-4m4 4-4 4" />
    <circle class="mark-dot" cx="9.500" cy="23.500" r="2.250" />
  </svg>
)
