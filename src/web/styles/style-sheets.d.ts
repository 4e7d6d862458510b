/* The bundler puts style sheets into files of their own. */
declare module '*.css';
