-- The HR system's table as it may look, with people who are made up. It runs on PostgreSQL, MySQL, MariaDB and SQLite.
create table employees (
  employee_id bigint primary key,
  first_name varchar(60) not null,
  last_name varchar(60) not null,
  work_email varchar(120),
  department varchar(60),
  hire_date date not null,
  end_date date,
  status varchar(20) not null
);
insert into employees values
  (90071992547409931, 'Ana', 'Álvarez', 'Ana.Alvarez@example.com', 'Finance', '2019-03-04', null, 'active'),
  (90071992547409932, 'Bruno', 'Okafor', 'bruno.okafor@example.com', 'Sales', '2021-08-17', '9999-12-31', 'active'),
  (90071992547409933, 'Chloé', 'O''Neil', null, 'Engineering', '2023-02-01', null, 'leave'),
  (90071992547409934, 'Darío', 'Sato', 'dario.sato@example.com', 'Sales', '2018-11-12', '2024-06-30', 'terminated');
