// Node has what these modules would add.
