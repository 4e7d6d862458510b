const words = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

export const firstNames = words(
  `Ana, Beatriz, Camila, Diego, Elena, Federico, Gonzalo, Helena, Ignacio, Josefina, Kevin, Lucía, Martín, Nicolás,
   Ofelia, Paula, Quirino, Rocío, Sofía, Tomás, Úrsula, Valentina, Walter, Ximena, Yago, Zoë, João, François, Björn,
   Søren, Łukasz, Chloé, Renée, Ángel, Íñigo, Anaïs, Jürgen, Maëlle, Nuño, Øystein`,
);

export const lastNames = words(
  `Acosta, Barrios, Castro, Domínguez, Echeverría, Fernández, García, Hernández, Ibáñez, Juárez, Krüger, López,
   Muñoz, Núñez, O'Brien, Pérez, Quiñones, Rodríguez, Suárez, Techera, Urrutia, Vázquez, Wójcik, Ximénez, Yáñez,
   Zúñiga, Gonçalves, Lefèvre, Müller, Sørensen, Straße, D'Angelo, Smith-Jones, Lindqvist, Peña, Güell`,
);

export const areas = words('Delivery, Engineering, Finance, Human Resources, Legal, Marketing, Operations, Sales');
export const jobs = words('Analyst, Designer, Developer, Engineer, Lead, Manager, Recruiter, Tester');
export const seniorities = words('Trainee, Junior, Semi Senior, Senior, Principal');
export const projects = words('Aurora, Boreal, Cóndor, Delta, Eclipse, Fénix, Gaviota');
export const accounts = words('Acme UY, Acme AR, Acme BR, Globex, Initech');
export const cities = words('Montevideo, Buenos Aires, São Paulo, Bogotá, Medellín, Málaga, Kraków');
export const emojis = words('🌟, 🎸, 👩‍💻, 🐧');
