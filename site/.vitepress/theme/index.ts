// Without the web font of the default theme: the system's font is enough, and the site is a third smaller.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
