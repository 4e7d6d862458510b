/** A component that shows nothing. */
const nothing = { render: () => null };

export default nothing;
